import { expect, test } from 'vitest'
import {
  LARGEST_LINK,
  packBundle,
  unpackBundle,
} from '../../../../../host/explorer/page/state/link-bundle.ts'

test('a bundle is decoded from a link unchanged', async () => {
  const text = JSON.stringify({ bundle: { text: 'ünïcode 🙂'.repeat(1_000) } })
  const link = await packBundle(text)
  expect(link).toMatch(/^[\w-]{1,2000}$/)
  expect(await unpackBundle(link as string)).toBe(text)
})

test('a bundle that is too large for a link is not put into one', async () => {
  // Digits that deflate cannot compress.
  let state = 1
  const digits = Array.from({ length: 2 * LARGEST_LINK }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 28).toString(16)
  })
  expect(await packBundle(digits.join(''))).toBeUndefined()
  expect(await packBundle(' '.repeat(100 * LARGEST_LINK + 1))).toBeUndefined()
})

test.each(['%%%', 'AAAA', ''])('a damaged link is refused: %j', async (link) => {
  await expect(unpackBundle(link)).rejects.toThrow('the bundle in the link is damaged')
})

test('a link that decompresses to more than a bundle is refused before it fills the memory', async () => {
  const stream = new Blob([' '.repeat(20_000_000)]).stream()
  const packed = await new Response(
    stream.pipeThrough(new CompressionStream('deflate-raw')),
  ).arrayBuffer()
  const link = Buffer.from(packed).toString('base64url')
  expect(link.length).toBeLessThan(LARGEST_LINK)
  await expect(unpackBundle(link)).rejects.toThrow('the bundle in the link is damaged')
})
