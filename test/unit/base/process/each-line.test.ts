import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { eachLine } from '../../../../host/base/process/each-line.ts'

async function linesOf(...parts: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  eachLine(stream, (line) => lines.push(line))
  for (const part of parts) stream.write(part)
  stream.end()
  await finished(stream)
  return lines
}

test('lines are complete however the chunks are split, including a last line without a line end', async () => {
  expect(await linesOf('a', 'b\nc\n\nd')).toEqual(['ab', 'c', '', 'd'])
  const euro = Buffer.from('€\n')
  expect(await linesOf(euro.subarray(0, 1), euro.subarray(1))).toEqual(['€'])
})

test('a line that exceeds the limit is truncated', async () => {
  const [line] = await linesOf('x'.repeat(70_000), 'y\n')
  expect(line?.length).toBe(65_536)
})
