import { lookup } from '../../../base/lookup.ts'

/** Text that only bundles contain. */
const FORMAT = '"lockstep-bundle"'

/** Returns true if a text is a bundle: output of `lockstep record`, or a debug_traceStateAccess response. */
export function isBundle(text: string): boolean {
  // Compiler output has megabytes: do not parse it for this.
  if (!text.includes(FORMAT)) return false
  try {
    const json: unknown = JSON.parse(text)
    return hasBundle(json) || hasBundle(member(json, 'result'))
  } catch {
    return false
  }
}

function hasBundle(json: unknown): boolean {
  return typeof member(json, 'bundle') === 'object'
}

function member(json: unknown, name: string): unknown {
  const isRecord = typeof json === 'object' && json !== null && !Array.isArray(json)
  return isRecord ? lookup(json as Readonly<Record<string, unknown>>, name) : undefined
}
