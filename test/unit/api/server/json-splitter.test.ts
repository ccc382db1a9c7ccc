import { describe, expect, test } from 'vitest'
import { JsonSplitter } from '../../../../host/api/server/json-splitter.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const split = (...packets: string[]) => {
  const splitter = new JsonSplitter()
  return packets.flatMap((packet) => splitter.push(bytesOf(packet)).map(textOf))
}

describe('a stream is split into JSON texts', () => {
  test.each([
    ['without anything between them', ['{"a":1}[2]{}'], ['{"a":1}', '[2]', '{}']],
    ['with blanks between them', [' {"a":1}\r\n\t[2]\n'], ['{"a":1}', '[2]']],
    ['that arrive in parts', ['{"a"', ':[1,', '2]', '}'], ['{"a":[1,2]}']],
    ['with brackets in strings', ['{"a":"}]{["}', '[]'], ['{"a":"}]{["}', '[]']],
    ['with escaped quotes', ['{"a":"\\"}', '\\\\"}{}'], ['{"a":"\\"}\\\\"}', '{}']],
    ['with bytes that begin no text', ['x{}1'], ['x', '{}', '1']],
    ['with a string outside', ['"{}"'], ['"', '{}', '"']],
    ['with a bracket too many', ['{}]{}'], ['{}', ']', '{}']],
  ])('%s', (_, packets, texts) => {
    expect(split(...packets)).toEqual(texts)
  })

  test('and counts the bytes of the one that has begun', () => {
    const splitter = new JsonSplitter()
    splitter.push(bytesOf('{} {"a":'))
    expect(splitter.pendingBytes).toBe(5)
    splitter.push(bytesOf('1}'))
    expect(splitter.pendingBytes).toBe(0)
  })
})

/** Returns a random object or list, with strings that look like JSON. */
function randomText(random: () => number, depth: number): unknown {
  const count = Math.floor(random() * 4)
  const item = () => {
    if (depth > 0 && random() < 0.5) return randomText(random, depth - 1)
    const signs = ['{', '}', '[', ']', '"', '\\', ' ', '\n', 'é', '\u0000', 'x']
    return Array.from({ length: 5 }, () => signs[Math.floor(random() * signs.length)]).join('')
  }
  const items = Array.from({ length: count }, item)
  return random() < 0.5 ? items : Object.fromEntries(items.map((one, i) => [`{${i}"`, one]))
}

test(`any texts in any packets come out as they were (seed ${runSeed()})`, () => {
  const random = makeRandom(runSeed())
  for (let round = 0; round < 200; round++) {
    const texts = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      JSON.stringify(randomText(random, 3), undefined, random() < 0.5 ? 1 : 0),
    )
    const stream = bytesOf(texts.join(random() < 0.5 ? '' : '\n'))
    const splitter = new JsonSplitter()
    const found: string[] = []
    for (let at = 0; at < stream.length; ) {
      const end = at + 1 + Math.floor(random() * 20)
      found.push(...splitter.push(stream.subarray(at, end)).map(textOf))
      at = end
    }
    expect(found).toEqual(texts)
    expect(splitter.pendingBytes).toBe(0)
  }
})
