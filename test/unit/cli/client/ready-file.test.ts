import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { removeReadyFile, writeReadyFile } from '../../../../host/cli/client/ready-file.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

let folder: string
beforeEach(() => {
  folder = makeHome()
})
afterEach(() => removeHome(folder))

const FACTS = {
  rpc: 'http://127.0.0.1:1',
  ws: 'ws://127.0.0.1:1',
  explorer: 'http://127.0.0.1:1/explorer',
  consensus: 'http://127.0.0.1:2',
  metrics: null,
  payments: null,
  paymentToken: null,
  wallets: null,
  pid: 3,
  chainId: 31337,
  home: '/h',
}

describe('the ready file', () => {
  test('holds exactly the expected facts, and no temporary file remains beside it', () => {
    const path = join(folder, 'ready.json')
    writeReadyFile(path, FACTS)
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(FACTS)}\n`)
    expect(readdirSync(folder)).toEqual(['ready.json'])
  })

  test('disappears when it is removed, and a second removal is no error', () => {
    const path = join(folder, 'ready.json')
    writeReadyFile(path, FACTS)
    removeReadyFile(path)
    expect(existsSync(path)).toBe(false)
    removeReadyFile(path)
  })
})
