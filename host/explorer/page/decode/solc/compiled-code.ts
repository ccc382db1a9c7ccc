import { countField, entriesOf, field, textField } from '../format/json-field.ts'
import type { CompiledCode } from './artifact.ts'

/** Placeholders of 40 characters for 20 bytes: `__$...$__` since 0.5, `__File:Name____` before. */
const LINK = /__.{38}/g

/** Parses a compiler's hex, with zeros for unlinked libraries; undefined if it is not code. */
function linkedBytes(object: string): { bytes: Uint8Array; links: number[] } | undefined {
  const digits = object.replace(/^0x/, '')
  const links: number[] = []
  const plain = digits.replace(LINK, (match, at: number) => {
    links.push(at / 2)
    return '0'.repeat(match.length)
  })
  if (plain.length === 0 || plain.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(plain))
    return undefined
  const bytes = new Uint8Array(plain.length / 2)
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = Number.parseInt(plain.slice(2 * i, 2 * i + 2), 16)
  return { bytes, links }
}

/** Reads the ranges of `linkReferences` or `immutableReferences`. */
function readHoles(json: unknown): { start: number; length: number }[] {
  const lists = Array.isArray(json) ? [json] : entriesOf(json).map(([, inner]) => inner)
  return lists.flatMap((inner) =>
    Array.isArray(inner)
      ? inner.flatMap((range) => {
          const start = countField(range, 'start')
          const length = countField(range, 'length')
          return start === undefined || length === undefined ? [] : [{ start, length }]
        })
      : readHoles(inner),
  )
}

/** Reads code in solc's standard JSON form, `{object, sourceMap, linkReferences, ...}`, or plain hex. */
export function readCode(json: unknown): CompiledCode | undefined {
  const object = typeof json === 'string' ? json : textField(json, 'object')
  const linked = object === undefined ? undefined : linkedBytes(object)
  if (linked === undefined) return undefined
  const { bytes, links } = linked
  const holes = [
    ...links.map((start) => ({ start, length: 20 })),
    ...readHoles(field(json, 'linkReferences')),
    ...readHoles(field(json, 'immutableReferences')),
  ].filter(({ start, length }) => start + length <= bytes.length)
  return {
    bytes,
    holes,
    hasTail: field(json, 'sourceMap', 'pc_pos_map_compressed') !== undefined,
    // Vyper's source map is an object with one in solc's form.
    sourceMap:
      textField(json, 'sourceMap') ?? textField(json, 'sourceMap', 'pc_pos_map_compressed'),
  }
}
