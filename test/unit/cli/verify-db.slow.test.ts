import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../../support/node/daemon.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { call } from '../../support/node/json-rpc.ts'
import { mineDynamicFee } from '../../support/node/progress.ts'

const home = makeHome()
const indexDir = join(home, 'data', 'tx_index.db')
const QUIET = ['--consensus.create-empty-blocks', 'false', '--consensus.block-time', '10ms']

let hash: Hex

beforeAll(async () => {
  const daemon = await startDaemon({ home, arguments: QUIET })
  const transfer = { to: devAccount(1).address, value: 1n }
  const receipt = mineDynamicFee<{ transactionHash: Hex }>(daemon.ready.rpc, 0, transfer)
  hash = (await receipt).transactionHash
  expect(await daemon.stop()).toBe(0)
})

afterAll(() => removeHome(home))

const verify = (...flags: string[]) => runCommand(['debug', 'verify-db', '--home', home, ...flags])

test('verify-db passes a home that was stopped cleanly', async () => {
  const { code, stdout, stderr } = await verify()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^ok {7}data\/\S+: \d+ /)
  const paths = stdout
    .trimEnd()
    .split('\n')
    .map((line) => /data\/[^:]+/.exec(line)?.[0])
  expect(paths).toEqual([...new Set(paths)])
})

test('verify-db reports that it skips the stores of RocksDB', async () => {
  const path = join(home, 'config', 'app.toml')
  const before = readFileSync(path, 'utf8')
  const other = before.replace('ss-backend = "pebbledb"', 'ss-backend = "rocksdb"')
  expect(other).not.toBe(before)
  writeFileSync(path, other)
  mkdirSync(join(home, 'data', 'rocksdb'))
  writeFileSync(join(home, 'data', 'rocksdb', 'CURRENT'), 'MANIFEST-000004\n')
  const why = 'RocksDB is not read here; it verifies its own checksums when the node reads'
  const { code, stdout } = await verify()
  expect(code).toBe(0)
  expect(stdout).toContain(`skipped  data/rocksdb: ${why}\n`)
  const { stdout: json } = await verify('--json')
  expect(JSON.parse(json)).toContainEqual({
    path: 'data/rocksdb',
    bytes: 16,
    findings: [],
    skipped: why,
  })
  writeFileSync(path, before)
  rmSync(join(home, 'data', 'rocksdb'), { recursive: true })
})

test('verify-db exits with 74 and names the row if one bit of it was flipped', async () => {
  const path = join(indexDir, 'data.mdb')
  const bytes = readFileSync(path)
  const key = Buffer.from(hash.slice(2), 'hex')
  const value = bytes.lastIndexOf(key) + key.length
  bytes[value] = (bytes[value] as number) ^ 1
  writeFileSync(path, bytes)
  const { code, stdout, stderr } = await verify()
  expect({ code, damaged: stdout.split('\n').filter((line) => !line.startsWith('ok ')) }).toEqual({
    code: 74,
    damaged: [
      `damaged  data/tx_index.db: Database is corrupted: ${path} is damaged: ` +
        `row ${hash} of table transactions does not match its checksum`,
      '',
    ],
  })
  expect(stderr).toMatch(
    `Error: Database is corrupted: ${home} is damaged in data/tx_index.db\nHint: start the node`,
  )

  const daemon = await startDaemon({ home, arguments: QUIET })
  expect(daemon.output()).toContain('an index is rebuilt from the blocks')
  const found = await call<{ hash: Hex }>(daemon.ready.rpc, 'eth_getTransactionByHash', [hash])
  expect(found.hash).toBe(hash)
  expect(await daemon.stop()).toBe(0)
  expect((await verify()).code).toBe(0)
})
