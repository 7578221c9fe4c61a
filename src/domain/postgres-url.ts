export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\/\S+$/.test(text)
}

/** Any text with the passwords of the Postgres URLs in it masked: after the user's name, and as a parameter. */
export function withoutPasswords(text: string): string {
  return text
    .replace(/(postgres(?:ql)?:\/\/[^\s:@/"']*:)[^\s"']*(?=@)/g, '$1***')
    .replace(/(postgres(?:ql)?:\/\/[^\s"']*[?&]password=)[^\s&"']*/g, '$1***')
}
