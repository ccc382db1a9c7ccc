import type { Kind, Side } from './abci-frame.ts'

/** A message that the tap waits for: the next of its kind, or that of a height. */
export interface Rule {
  readonly id: number
  readonly kind: Kind
  readonly side: Side
  /** 0 for the next one. */
  readonly height: number
  /** `hold` lets nothing more through on its way until the rule is released; `falsify` turns over the app hash. */
  readonly action: 'hold' | 'falsify'
}

/** What the test tells a tap, a line of JSON each. */
export type Order = { readonly rules: readonly Rule[] }

/** What a tap tells the test, a line of JSON each. */
export type Report =
  | { readonly event: 'started'; readonly pid: number }
  | { readonly event: 'met'; readonly id: number; readonly height: number }

/** Cuts a stream of lines into what they say. */
export async function* linesOf<Item>(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Item> {
  let rest = ''
  for await (const chunk of stream) {
    rest += Buffer.from(chunk).toString()
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Item
  }
}
