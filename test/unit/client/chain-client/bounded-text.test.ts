import { expect, test } from 'vitest'
import { boundedText } from '../../../../host/client/chain-client/bounded-text.ts'

test('a response body with exactly the allowed number of characters is read whole', async () => {
  expect(await boundedText(new Response('four'), 4)).toBe('four')
  expect(await boundedText(new Response(null), 4)).toBe('')
})

test('a response body with one character more than allowed is refused', async () => {
  await expect(boundedText(new Response('fives'), 4)).rejects.toThrow(
    'an answer of more than 4 characters',
  )
})

test('the bound of a response body counts characters, not bytes, and counts one that two chunks share once', async () => {
  const bytes = new TextEncoder().encode('né€')
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  expect(await boundedText(new Response(body), 3)).toBe('né€')
})

test('an endless response body is read no further than the bound', async () => {
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1000).fill(0x61))
    },
  })
  await expect(boundedText(new Response(body), 5000)).rejects.toThrow('more than 5000')
  expect(pulled).toBeLessThan(10)
})
