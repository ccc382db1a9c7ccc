import { lookup } from '../../../base/lookup.ts'

/** What bundles alone have in them. */
const FORMAT = '"lockstep-bundle"'

/** Whether a text is a bundle: one of `lockstep record`, or the answer of debug_traceStateAccess around it. */
export function isBundle(text: string): boolean {
  // What compilers write is of megabytes: it is not parsed for this
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
