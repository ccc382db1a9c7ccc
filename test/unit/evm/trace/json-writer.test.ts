import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChunkedJsonWriter } from '../../../../host/evm/trace/json-writer.ts'

const SEED = 20261121

/** Returns a writer with small chunks, and the text of what it sent. */
function collect(chunkBytes = 16) {
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk), chunkBytes)
  return {
    writer,
    chunks,
    text: () => {
      writer.flush()
      return Buffer.concat(chunks).toString()
    },
  }
}

function write(writer: ChunkedJsonWriter, value: unknown): void {
  if (Array.isArray(value)) {
    writer.beginArray()
    for (const item of value) write(writer, item)
    writer.end()
  } else if (typeof value === 'object' && value !== null) {
    writer.beginObject()
    for (const [name, member] of Object.entries(value)) {
      writer.name(name)
      write(writer, member)
    }
    writer.end()
  } else {
    writer.value(value)
  }
}

const NAME = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,8}$/)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(NAME, tie('tree'), { maxKeys: 5 }),
  ),
}))

test('the JSON writer equals JSON.stringify for any chunk size', () => {
  fc.assert(
    fc.property(tree, fc.integer({ min: 16, max: 200 }), (value, chunkBytes) => {
      const { writer, text } = collect(chunkBytes)
      write(writer, value)
      expect(text()).toBe(JSON.stringify(value))
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('the JSON writer sends full chunks and counts its bytes', () => {
  const { writer, chunks, text } = collect(16)
  expect(writer.hasSent).toBe(false)
  writer.value('x'.repeat(40))
  expect(chunks.map(({ length }) => length)).toEqual([16, 16])
  expect([writer.size, writer.hasSent]).toEqual([42, true])
  expect(text()).toBe(`"${'x'.repeat(40)}"`)
})

test('the JSON writer closes an interrupted value down to a depth, and drops a name without a value', () => {
  const { writer, text } = collect()
  writer.beginArray()
  writer.beginObject()
  writer.member('txHash', '0x1')
  const { depth } = writer
  writer.name('result')
  writer.beginObject()
  writer.name('calls')
  writer.closeAll(depth)
  writer.member('error', 'gone')
  writer.end()
  writer.beginObject()
  writer.name('result')
  writer.closeAll()
  expect(text()).toBe('[{"txHash":"0x1","result":{},"error":"gone"},{}]')
})

test('the JSON writer accepts a value in parts, which chunks may split anywhere', () => {
  const { writer, chunks, text } = collect(16)
  const bytes = new TextEncoder().encode('xx"0123456789abcdef0123456789abcdef",')
  writer.beginArray()
  writer.value(1)
  writer.separate()
  writer.part(bytes, 2, 10)
  writer.part(bytes, 10, 10)
  writer.part(bytes, 10, bytes.length - 1)
  writer.wrote()
  writer.value(2)
  writer.end()
  expect(text()).toBe('[1,"0123456789abcdef0123456789abcdef",2]')
  expect(chunks.map((chunk) => chunk.length)).toEqual([16, 16, 8])
})

test('the JSON writer refuses to close a value that is not open, and to reserve more than a chunk', () => {
  const { writer } = collect()
  expect(() => writer.end()).toThrow('nothing is open')
  expect(() => writer.reserve(17)).toThrow('17 bytes exceed a chunk')
})
