/** What the explorer's page may load, by directive (CSP level 3). WebAssembly may be compiled, text may not. */
const DIRECTIVES = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  // Another node's JSON-RPC is asked where the user names it.
  'connect-src': "'self' http: https: ws: wss:",
  'worker-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
} as const

/** The policy as a header's value, without the directives that are left out and with others as given. */
export function explorerPolicy(changes: Readonly<Record<string, string | undefined>> = {}): string {
  return Object.entries({ ...DIRECTIVES, ...changes })
    .filter(([, sources]) => sources !== undefined)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ')
}
