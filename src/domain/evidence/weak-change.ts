/** Why a change is no evidence by itself. It counts where the task asks for it (`--evidence path:<path>`). */
export type Weakness = 'blank' | 'mode' | 'notes' | 'by-product' | 'copy of its notes' | 'was stashed'

export const WEAKNESS_TEXTS: Readonly<Record<Weakness, string>> = {
  blank: 'is new and has no text in it',
  mode: 'changed its mode alone',
  notes: 'is a new file of notes',
  'by-product': 'is left over by a tool',
  'copy of its notes': 'is a copy of its notes',
  'was stashed': 'is as a stash had it before',
}

const NOTES =
  /^(?:plan(?:[-_ ]?and[-_ ]?status)?|status|progress|knowledge|notes?|todos?|scratch(?:pad)?|q&a|memory|hand-?off)(?:[-_ ]?\d+)?(?:\.(?:md|markdown|txt))?$/i

/** Whether a file is by its name a plan or notes of an agent for itself. */
export function isNotes(path: string): boolean {
  return NOTES.test(path.slice(path.lastIndexOf('/') + 1))
}

const BY_PRODUCT =
  /(?:^|\/)(?:__pycache__\/|\.(?:pytest|mypy|ruff)_cache\/|\.coverage$|\.aider[^/]*|\.claude\/settings\.local\.json$|Thumbs\.db$|nohup\.out$|npm-debug\.log[^/]*$)|\.py[co]$|~$|\.sw[a-p]$/

/** Whether a new file is by its name something that a tool leaves behind when it runs. */
export function isByProduct(path: string): boolean {
  return BY_PRODUCT.test(path)
}
