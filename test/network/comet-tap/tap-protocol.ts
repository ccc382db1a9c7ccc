import type { Kind, Side } from './abci-frame.ts'

/** A rule for one message: the next of its kind, or that of a height. */
export interface Rule {
  readonly id: number
  readonly kind: Kind
  readonly side: Side
  /** 0 for the next message. */
  readonly height: number
  /** `hold` forwards nothing more in this direction until the rule is released. `falsify` inverts the app hash. */
  readonly action: 'hold' | 'falsify'
}

/** Message from the test to a tap, one line of JSON. */
export type Order = { readonly rules: readonly Rule[] }

/** Message from a tap to the test, one line of JSON. */
export type Report =
  | { readonly event: 'started'; readonly pid: number }
  | { readonly event: 'met'; readonly id: number; readonly height: number }

/** Parses each line of a stream as JSON. */
export async function* linesOf<Item>(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Item> {
  let rest = ''
  for await (const chunk of stream) {
    rest += Buffer.from(chunk).toString()
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Item
  }
}
