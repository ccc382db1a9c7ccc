import { expect, test } from 'vitest'
import { account, address, blockRecord, codeHashOf, slot, word } from '../chain/block-records.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'

const CODE = Uint8Array.of(1, 2, 3)

/** Every height writes everything that the test reads. */
function recordAt(height: number) {
  return blockRecord(height, {
    accounts: [[1, account(height, 1)]],
    storage: [[1, 1, height + 1]],
    codes: height === 0 ? [CODE] : [],
    legacy: [{ key: slot(1), value: word(height) }],
  })
}

test.each([true, false])(
  'a view whose height is pruned reports this and never returns a wrong value (split %s)',
  async (evmSplit) => {
    const storage = await openAt(temporaryDir(), { evmSplit, keepRecent: 4, flushInterval: 2 })
    for (let height = 0; height <= 10; height++) await storage.append(recordAt(height))
    const view = storage.state.view(10)
    expect(view.account(address(1))).toEqual(account(10, 1))
    for (let height = 11; height <= 60; height++) await storage.append(recordAt(height))
    await storage.settle()
    const { earliest } = storage.state
    expect(earliest).toBeGreaterThan(10)
    const pruned = expect.objectContaining({
      code: 'STATE_PRUNED',
      message: `requested height 10 has been pruned; earliest available is ${earliest}`,
    })
    expect(() => view.account(address(1))).toThrow(pruned)
    expect(() => view.storage(address(1), slot(1))).toThrow(pruned)
    expect(() => view.code(codeHashOf(CODE))).toThrow(pruned)
    const kept = storage.state.view(earliest)
    expect(kept.account(address(1))).toEqual(account(earliest, 1))
    expect(kept.storage(address(1), slot(1))).toEqual(word(earliest + 1))
    expect(kept.code(codeHashOf(CODE))).toEqual(CODE)
    await storage.close()
  },
)

test('a range whose height is pruned reports this', async () => {
  const storage = await openAt(temporaryDir(), { keepRecent: 4, flushInterval: 2 })
  const bank = (height: number) => {
    const writes = [1, 2, 3].map((n) => ({ key: slot(n), value: word(height) }))
    return blockRecord(height, { modules: [{ module: 'bank', writes }] })
  }
  for (let height = 0; height <= 10; height++) await storage.append(bank(height))
  const rows = storage.state.module('bank').range({ height: 10 })[Symbol.iterator]()
  expect(rows.next().value).toEqual({ key: slot(1), value: word(10) })
  for (let height = 11; height <= 60; height++) await storage.append(bank(height))
  await storage.settle()
  expect(() => rows.next()).toThrow(/^requested height 10 has been pruned; earliest available is/)
  await storage.close()
})
