/** The result of examining a whole store. */
export type StoreHealth =
  | { readonly kind: 'good'; readonly version: number; readonly tasks: number; readonly lastChange: string | undefined }
  | { readonly kind: 'missing' }
  | { readonly kind: 'directory' }
  | { readonly kind: 'newer'; readonly version: number; readonly known: number }
  /** A SQLite file, but not one of fleet's. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged'; readonly what: string }
  /** Not examined: permissions, a lock. */
  | { readonly kind: 'unreadable'; readonly what: string }
