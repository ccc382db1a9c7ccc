import { compareBytes } from '../../base/bytes.ts'

/**
 * Yields the distinct keys of several sorted sources in order. Each step compares all sources, so there should be
 * few. Ending the iteration early also ends the sources, which hold files open.
 */
export function* mergeOrdered(
  sources: readonly Iterator<Uint8Array, void>[],
  reverse: boolean,
): Generator<Uint8Array, void> {
  const sign = reverse ? -1 : 1
  try {
    const heads = sources.map((source) => source.next())
    for (;;) {
      let first: Uint8Array | undefined
      for (const { value } of heads) {
        if (value !== undefined && (first === undefined || sign * compareBytes(value, first) < 0)) {
          first = value
        }
      }
      if (first === undefined) return
      yield first
      heads.forEach(({ value }, i) => {
        if (value !== undefined && compareBytes(value, first) === 0) {
          heads[i] = (sources[i] as Iterator<Uint8Array, void>).next()
        }
      })
    }
  } finally {
    for (const source of sources) source.return?.()
  }
}
