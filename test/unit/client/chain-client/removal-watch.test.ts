import { expect, test } from 'vitest'
import { type BlockMark, RemovalWatch } from '../../../../host/client/chain-client/removal-watch.ts'

/** A development chain, given by the hashes of its blocks. */
class FakeChain {
  blocks = ['0xa0']
  /** Block numbers that were looked up. */
  readonly asked: unknown[] = []

  call(method: string, number?: unknown): Promise<unknown> {
    if (method === 'hardhat_metadata') return Promise.resolve({ instanceId: '0x01' })
    this.asked.push(number)
    const at = number === 'latest' ? this.blocks.length - 1 : Number(number)
    const hash = this.blocks[at]
    return Promise.resolve(hash === undefined ? null : { number: `0x${at.toString(16)}`, hash })
  }

  mark(number: number): BlockMark {
    return { number: `0x${number.toString(16)}`, hash: this.blocks[number] as string }
  }
}

test('a noted block that is made and removed between two polls counts as a removal', async () => {
  const chain = new FakeChain()
  const watch = new RemovalWatch(chain)
  expect(await watch.removals()).toBe(0)
  chain.blocks.push('0xa1')
  watch.note(chain.mark(1))
  chain.blocks.pop()
  expect(await watch.removals()).toBe(1)
  expect(await watch.removals()).toBe(1)
})

test('a noted block that was replaced counts once, and one that remains does not count', async () => {
  const chain = new FakeChain()
  const watch = new RemovalWatch(chain)
  chain.blocks.push('0xa1', '0xa2')
  expect(await watch.removals()).toBe(0)
  watch.note(chain.mark(1))
  expect(await watch.removals()).toBe(0)
  watch.note(chain.mark(2))
  chain.blocks.splice(2, 1, '0xb2', '0xb3')
  watch.note(chain.mark(2))
  expect(await watch.removals()).toBe(1)
  expect(await watch.removals()).toBe(1)
})

test('of a flood of noted blocks the latest 64 are looked up', async () => {
  const chain = new FakeChain()
  const watch = new RemovalWatch(chain)
  await watch.removals()
  for (let number = 1; number <= 100; number++) {
    chain.blocks.push(`0xb${number}`)
    watch.note(chain.mark(number))
  }
  chain.asked.length = 0
  expect(await watch.removals()).toBe(0)
  const latest = Array.from({ length: 64 }, (_, i) => `0x${(37 + i).toString(16)}`)
  // The last one is the latest block of the check before.
  expect(chain.asked).toEqual(['latest', ...latest, '0x0'])
})
