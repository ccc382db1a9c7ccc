/** A body, buffered up to a limit. */
export interface ReadBody {
  readonly read: Buffer
  /** The remaining chunks; undefined if the body is complete. */
  readonly rest: AsyncIterable<Buffer> | undefined
}

/** Buffers a body and stops once it exceeds `bytes`. */
export async function readUpTo(body: AsyncIterable<Buffer>, bytes: number): Promise<ReadBody> {
  const iterator = body[Symbol.asyncIterator]()
  const read: Buffer[] = []
  let length = 0
  while (length <= bytes) {
    const step = await iterator.next()
    if (step.done === true) return { read: Buffer.concat(read), rest: undefined }
    read.push(step.value)
    length += step.value.length
  }
  return { read: Buffer.concat(read), rest: { [Symbol.asyncIterator]: () => iterator } }
}
