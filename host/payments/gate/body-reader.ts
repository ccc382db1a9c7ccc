/** A body of which as much was read as may be held. */
export interface ReadBody {
  readonly read: Buffer
  /** What follows; undefined where that was all. */
  readonly rest: AsyncIterable<Buffer> | undefined
}

/** Reads a body, and stops where it is longer than so many bytes. */
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
