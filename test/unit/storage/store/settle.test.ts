import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { account, address, blockRecord } from './chain/block-records.ts'
import { openAt, temporaryDir } from './temporary-storage.ts'

const BLOCKS = 90

test('a flush that runs while blocks are added hides nothing from reads', async () => {
  const storage = await openAt(temporaryDir(), { flushInterval: 2 })
  let isWritten = false
  const readOn = async (): Promise<void> => {
    while (!isWritten) {
      const { latest } = storage.state
      for (let height = 0; height <= latest; height++) {
        const found = storage.state.view(latest).account(address(height))
        expect(found, `account ${height} at ${latest}`).toEqual(account(height, 1))
      }
      await setImmediate()
    }
  }
  const write = async (): Promise<void> => {
    for (let height = 0; height < BLOCKS; height++) {
      await storage.append(blockRecord(height, { accounts: [[height, account(height, 1)]] }, 0))
    }
    isWritten = true
  }
  const settle = async (): Promise<void> => {
    while (!isWritten) await storage.settle()
  }
  await Promise.all([write(), readOn(), settle()])
  await storage.close()
})
