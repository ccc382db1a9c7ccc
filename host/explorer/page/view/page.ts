/** A page of the explorer, named by the path of its link. */
export type ViewPage =
  | { readonly kind: 'home' }
  /** By number, hash (0x and 64 digits) or tag. */
  | { readonly kind: 'block'; readonly block: string }
  /** 0x and 40 digits. */
  | { readonly kind: 'address'; readonly address: string }
  /** 0x and 64 digits. */
  | { readonly kind: 'tx'; readonly hash: string }
  /** A call that was never sent: to 0x and 40 digits, or `new` for a contract creation. */
  | { readonly kind: 'call'; readonly to: string }
  /** A bundle from a file or from the link itself. */
  | { readonly kind: 'bundle' }
  /** A path that names none of them. */
  | { readonly kind: 'unknown'; readonly path: string }

const HASH = /^0x[0-9a-f]{64}$/
const ADDRESS = /^0x[0-9a-f]{40}$/
const NUMBER = /^(0|[1-9]\d{0,15})$/
/** In place of the address that a call goes to. */
export const CREATION = 'new'
export const BLOCK_TAGS: readonly string[] = ['latest', 'earliest', 'pending', 'safe', 'finalized']

/** Parses a path below the explorer's base: `/`, `/tx/0x...`. */
export function parsePage(path: string): ViewPage {
  const [kind = '', argument, ...rest] = path.split('/').filter((part) => part !== '')
  const value = argument?.toLowerCase() ?? ''
  if (rest.length === 0) {
    if (kind === '') return { kind: 'home' }
    if (kind === 'bundle' && argument === undefined) return { kind: 'bundle' }
    if (kind === 'tx' && HASH.test(value)) return { kind: 'tx', hash: value }
    if (kind === 'address' && ADDRESS.test(value)) return { kind: 'address', address: value }
    if (kind === 'call' && (value === CREATION || ADDRESS.test(value)))
      return { kind: 'call', to: value }
    if (kind === 'block' && isBlock(value)) return { kind: 'block', block: value }
  }
  return { kind: 'unknown', path }
}

function isBlock(text: string): boolean {
  return NUMBER.test(text) || HASH.test(text) || BLOCK_TAGS.includes(text)
}

export function formatPage(page: ViewPage): string {
  switch (page.kind) {
    case 'home':
      return '/'
    case 'bundle':
      return '/bundle'
    case 'tx':
      return `/tx/${page.hash}`
    case 'address':
      return `/address/${page.address}`
    case 'call':
      return `/call/${page.to}`
    case 'block':
      return `/block/${page.block}`
    case 'unknown':
      return page.path
  }
}

export function isSamePage(a: ViewPage, b: ViewPage): boolean {
  return formatPage(a) === formatPage(b)
}
