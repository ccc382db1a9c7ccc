import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'

/** A codec of the repository: it decodes what it encodes, or refuses to encode. */
export interface Codec {
  readonly name: string
  /** File of the encoder. */
  readonly file: string
  /** Fails unless each generated value is refused or decoded unchanged. */
  check(seed: number): Promise<void>
}

interface CodecParts<Value, Written> {
  readonly name: string
  readonly file: string
  /** Mostly valid values, with occasional hostile parts. */
  readonly values: fc.Arbitrary<Value>
  readonly encode: (value: Value) => Written | Promise<Written>
  readonly decode: (written: Written) => unknown
  /** Returns the encoded part of a value, if that is not all of it. */
  readonly kept?: (value: Value) => unknown
  readonly runs?: number
}

const RUNS = 250

/** Returns bytes as hex, whatever contains them, and omits undefined members. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Object.is(value, -0) ? 0 : value
  if (value instanceof Map) return [...value].map(plain)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]))
}

export function codec<Value, Written>(parts: CodecParts<Value, Written>): Codec {
  const { name, file, values, encode, decode, kept = (value) => value } = parts
  return {
    name,
    file,
    check: async (seed) => {
      let count = 0
      const property = fc.asyncProperty(values, async (value) => {
        let written: Written
        try {
          written = await encode(value)
        } catch (thrown) {
          if (!(thrown instanceof Error)) expect(thrown).toBeInstanceOf(Error)
          return
        }
        count++
        const [read, expected] = [plain(await decode(written)), plain(kept(value))]
        if (!isDeepStrictEqual(read, expected)) expect(read).toEqual(expected)
      })
      await fc.assert(property, { seed, numRuns: parts.runs ?? RUNS })
      // A codec that refuses everything proves nothing.
      expect(count).toBeGreaterThan((parts.runs ?? RUNS) / 20)
    },
  }
}
