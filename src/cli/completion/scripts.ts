/** Thin scripts: the words come from `fleet completion words`, so that they are always those of the installed fleet. */
export const SCRIPTS = {
  // As old as bash 3.2 of macOS: no mapfile, no compopt. A word brings its own blank, unless it ends in =.
  bash: `# fleet completion bash >> ~/.bashrc, or: source <(fleet completion bash)
_fleet() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    case $word in
      *=) COMPREPLY[\${#COMPREPLY[@]}]=$word ;;
      *) COMPREPLY[\${#COMPREPLY[@]}]="$word " ;;
    esac
  done <<EOF
$(fleet completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
EOF
  [ "\${COMPREPLY[0]-}" = ' ' ] && COMPREPLY=()
}
complete -o nospace -o bashdefault -o default -F _fleet fleet
`,
  zsh: `#compdef fleet
# fleet completion zsh > a folder of $fpath, as _fleet; or: source <(fleet completion zsh)
_fleet() {
  local line word
  local -a found shown open
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    [[ -z $word ]] && continue
    if [[ $word == *= ]]; then
      open+=("$word")
    else
      found+=("$word")
      shown+=("\${line//$'\\t'/  }")
    fi
  done < <(fleet completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#open} )) && compadd -S '' -- $open
  (( \${#found} )) && compadd -l -d shown -- $found
  (( \${#open} + \${#found} )) || _files
}
compdef _fleet fleet
`,
  fish: `# fleet completion fish > ~/.config/fish/completions/fleet.fish
complete -c fleet -f -a '(fleet completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
} as const satisfies Readonly<Record<string, string>>
