/** A schema of an OpenAPI document: the subset of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
}

/** Strings for each pattern of the document, by the beginning of the pattern. */
const TEXTS: readonly [RegExp, readonly string[]][] = [
  [/\{40\}/, ['0x1111111111111111111111111111111111111111', `0x${'f'.repeat(40)}`]],
  [/\{64\}\$/, [`0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`]],
  [/eip155/, ['eip155:31337', 'eip155:1', 'eip155:99999999999999999999']],
  [/\{2\}/, ['0x', '0x00', '0xa9059cbb']],
  [/\^0x/, ['0x0', '0x1', `0x${'f'.repeat(64)}`, '0x00000001']],
  [/A-Za-z0-9\+/, ['AAAA', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE', 'AA==']],
  [/A-Za-z0-9_-/, ['abc', 'x'.repeat(64), '-']],
]

const ANY: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  'text',
  '\u0000',
  '💣',
  "'; DROP TABLE wallets; --",
  [],
  {},
  [[[]]],
  { __proto__: null, constructor: { prototype: {} } },
  'x'.repeat(2_000),
]

/** Generates values of a schema, occasionally with an invalid part. */
export class SchemaValues {
  readonly #random: () => number
  /** Probability that a value is replaced by an arbitrary one. */
  readonly #noise: number
  readonly #ids: readonly string[]

  constructor(random: () => number, noise: number, ids: readonly string[]) {
    this.#random = random
    this.#noise = noise
    this.#ids = ids
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  value(schema: Schema, depth = 0): unknown {
    if (this.chance(this.#noise)) return this.pick(ANY)
    if (schema.$ref !== undefined) return this.pick(this.#ids)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return this.pick(schema.enum)
    const alternatives = schema.anyOf ?? schema.oneOf
    if (alternatives !== undefined) return this.value(this.pick(alternatives), depth)
    if (schema.type === 'object') return this.#object(schema, depth)
    if (schema.type === 'array') {
      const length = depth > 6 ? 0 : Math.floor(this.#random() * 3)
      return Array.from({ length }, () => this.value(schema.items ?? {}, depth + 1))
    }
    if (schema.type === 'string') return this.#text(schema)
    if (schema.type === 'integer' || schema.type === 'number') {
      return this.pick([schema.minimum ?? 0, 1, 3, schema.maximum ?? 100])
    }
    if (schema.type === 'boolean') return this.chance(0.5)
    if (schema.type === 'null') return null
    return this.pick(ANY)
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema, depth: number) {
    const members = Object.entries(properties).flatMap(([name, schema]) => {
      const isWanted = required.includes(name) ? !this.chance(this.#noise / 2) : this.chance(0.4)
      return isWanted ? [[name, this.value(schema, depth + 1)]] : []
    })
    if (typeof additionalProperties === 'object') {
      members.push(['Mail', this.value(additionalProperties, depth + 1)])
    }
    if (this.chance(this.#noise / 2)) members.push([this.pick(['x', '', '__proto__', 'id']), 1])
    return Object.fromEntries(members)
  }

  #text({ pattern, format }: Schema): string {
    if (format === 'uri') return this.pick(['https://example.com/hook', 'http://127.0.0.1:1/'])
    if (pattern === undefined) return this.pick(['a', 'Mail', 'uint256', '1', '0x1', 'value', 'to'])
    const found = TEXTS.find(([known]) => known.test(pattern))
    const texts = found?.[1] ?? ['a']
    return pattern.includes('A-Za-z0-9_-') ? this.pick([...texts, ...this.#ids]) : this.pick(texts)
  }
}
