import { formatQuantity, type Hex } from '../../../host/base/hex.ts'
import type { Dice } from '../../fuzz/dice.ts'
import type { Question } from './question.ts'
import { ACCOUNTS, type KnownBlock } from './read-questions.ts'

/** Returns debug_ requests about states: whole, in ranges, between blocks, and the accesses of a block. */
export function stateQuestions(
  dice: Dice,
  blocks: readonly KnownBlock[],
  contracts: readonly Hex[],
  keys: readonly Hex[],
): Question[] {
  const last = blocks.length
  const height = () => 1 + dice.below(last)
  const someBlock = () => blocks[dice.below(last)] as KnownBlock
  const start = () => dice.pick<Hex>(['0x', '0x80', `0x${'40'.repeat(32)}`, `0x${'0f'.repeat(33)}`])
  const by = (method: string, ...params: unknown[]): Question => ({ form: method, method, params })
  return [
    ...blocks.flatMap(({ number, hash }) => [
      by('debug_executionWitness', number),
      by('debug_getModifiedAccountsByNumber', Number(number)),
      by('debug_getModifiedAccountsByHash', hash),
    ]),
    by('debug_executionWitness', someBlock().hash),
    ...Array.from({ length: 8 }, () => {
      const [from, to] = [height() - 1, height()]
      return by('debug_getModifiedAccountsByNumber', from, to)
    }),
    by('debug_getModifiedAccountsByNumber', 0, last),
    by('debug_getModifiedAccountsByNumber', 0),
    by('debug_getModifiedAccountsByNumber', last, last),
    by('debug_getModifiedAccountsByNumber', 5, last + 1),
    by('debug_getModifiedAccountsByNumber', last + 17, 5),
    by('debug_getModifiedAccountsByHash', someBlock().hash, someBlock().hash),
    by('debug_getModifiedAccountsByHash', `0x${'12'.repeat(32)}`),
    by('debug_dumpBlock', formatQuantity(last)),
    by('debug_dumpBlock', '0x0'),
    by('debug_dumpBlock', 'latest'),
    by('debug_dumpBlock', formatQuantity(last + 1)),
    ...Array.from({ length: 24 }, () => {
      const block = dice.pick<unknown>([
        formatQuantity(height()),
        someBlock().hash,
        'latest',
        '0x0',
      ])
      const flags = [dice.chance(0.5), dice.chance(0.5), dice.chance(0.5)]
      return by('debug_accountRange', block, start(), dice.pick([1, 7, 256, 1000, 0]), ...flags)
    }),
    by('debug_accountRange', `0x${'12'.repeat(32)}`, '0x', 1, true, true, true),
    by('debug_accountRange', formatQuantity(last + 1), '0x', 1, true, true, true),
    ...contracts.flatMap((address) => {
      const block = someBlock()
      const named = dice.pick<unknown>([block.number, block.hash, { blockHash: block.hash }])
      return [
        by('debug_storageRangeAt', named, 0, address, start(), dice.pick([0, 1, 3, 1000])),
        by('debug_storageRangeAt', formatQuantity(last), 0, address, '0x', 1000),
      ]
    }),
    by('debug_storageRangeAt', '0x0', 0, ACCOUNTS[0], '0x', 10),
    by('debug_storageRangeAt', formatQuantity(last), 1000, ACCOUNTS[0], '0x', 10),
    ...keys.map((hash) => by('debug_preimage', hash)),
    by('debug_preimage', `0x${'12'.repeat(32)}`),
  ]
}

/** Returns the accounts of a dump, and the hashes of their addresses and slots. */
export function namesIn(dump: object): { readonly contracts: Hex[]; readonly keys: Hex[] } {
  const { accounts } = dump as {
    accounts: Record<
      string,
      { readonly key: Hex; readonly address?: Hex; readonly storage?: object }
    >
  }
  const list = Object.values(accounts)
  return {
    contracts: list.flatMap(({ address, storage }) =>
      address !== undefined && storage !== undefined ? [address] : [],
    ),
    keys: list.map(({ key }) => key),
  }
}
