import { formatData, formatQuantity } from '../../base/hex.ts'

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S

/** Members passed on unchanged: names inside them are those of contracts. */
type Opaque = 'abi' | 'typed_data'

/** The shapes of the API in camel case: `policy_ids` becomes `policyIds`. */
export type Camelled<T> = T extends readonly (infer Item)[]
  ? readonly Camelled<Item>[]
  : T extends object
    ? {
        readonly [K in keyof T as K extends string ? Camel<K> : K]: K extends Opaque
          ? T[K]
          : Camelled<T[K]>
      }
    : T

const OPAQUE: ReadonlySet<string> = new Set(['abi', 'typed_data', 'typedData'])

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      rename(name),
      OPAQUE.has(name) ? member : renamed(member, rename),
    ]),
  )
}

/** Converts a response of the API to camel case. */
export function toCamelCase<T>(answer: unknown): Camelled<T> {
  const rename = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())
  return renamed(answer, rename) as Camelled<T>
}

/** Converts an input to the snake case of the API. */
export function toSnakeCase(input: object): Record<string, unknown> {
  const rename = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return renamed(plainJson(input), rename) as Record<string, unknown>
}

function plainNumber(value: number, path: string): number {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError(`${path} is ${value}, which is not a safe integer: pass a bigint`)
}

/**
 * Converts a value to JSON: bigints to 0x-hex (negative ones to decimal), bytes to 0x-hex. Drops undefined members.
 * @throws TypeError if a number is not a safe integer or a value has no JSON form
 */
export function plainJson(value: unknown, path = 'the input'): unknown {
  if (typeof value === 'bigint') return value < 0n ? value.toString() : formatQuantity(value)
  if (typeof value === 'number') return plainNumber(value, path)
  if (value instanceof Uint8Array) return formatData(value)
  if (Array.isArray(value)) return value.map((item, i) => plainJson(item, `${path}[${i}]`))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [name, plainJson(member, `${path}.${name}`)]),
    )
  }
  if (['string', 'boolean'].includes(typeof value) || value === null) return value
  throw new TypeError(`${path} is a ${typeof value}, which JSON cannot represent`)
}
