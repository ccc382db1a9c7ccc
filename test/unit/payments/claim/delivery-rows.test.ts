import { spawnSync } from 'node:child_process'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeKey } from '../../../../host/payments/claim/claim-codec.ts'
import { DeliveryLog, readDeliveries } from '../../../../host/payments/claim/delivery-log.ts'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { claimFacts, claimKey } from '../../../support/payments/claim-facts.ts'
import { ClaimProcess } from '../../../support/payments/claim-process.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deliveries-'))
  path = join(folder, 'log')
})
afterEach(() => rmSync(folder, { recursive: true }))

const keys = Array.from({ length: 5 }, (_, number) => encodeKey(claimKey(number)))
const read = () => readDeliveries(path).map((key) => Buffer.from(key))

function fill(): DeliveryLog {
  const log = new DeliveryLog(path)
  for (let number = 0; number < keys.length; number++) log.add(claimKey(number))
  return log
}

test('a delivery log is read as it was written, also one of an earlier release', () => {
  fill()
  expect(read()).toEqual(keys)
  writeFileSync(path, Buffer.concat(keys))
  expect(readDeliveries(path, true).map((key) => Buffer.from(key))).toEqual(keys)
  expect(readDeliveries(join(folder, 'none'))).toEqual([])
})

test('a delivery log that was truncated or has any byte flipped is refused with its file name', () => {
  fill()
  const whole = readFileSync(path)
  for (let length = 0; length < whole.length; length++) {
    truncateSync(path, length)
    expect(read, `${length} bytes`).toThrow(`${path} is damaged`)
    writeFileSync(path, whole)
  }
  for (let at = 8; at < whole.length; at++) {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] as number) ^ 0x10
    writeFileSync(path, bytes)
    expect(read, `byte ${at}`).toThrow(`${path} is damaged`)
  }
})

test('a delivery log that is restarted contains the later rows', () => {
  const log = fill()
  for (let number = 5; number < 1_500; number++) log.add(claimKey(number))
  expect(read()).toHaveLength(1_500)
  log.begin()
  expect(read()).toEqual([])
  log.add(claimKey(7))
  expect(read()).toEqual([encodeKey(claimKey(7))])
})

test('a partial row from a full disk does not hide the rows before it', () => {
  // Blocks of 512 bytes: no file grows beyond 4 KiB, in the middle of the 83rd row.
  const limited = ['sh', '-c', 'ulimit -f 8 && exec "$@"', 'sh']
  const main = fileURLToPath(new URL('full-delivery-log-main.ts', import.meta.url))
  const [program = '', ...args] = [...limited, process.execPath, main, path]
  const { signal, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  expect([signal, stderr]).toEqual(['SIGKILL', ''])
  const found = read()
  expect(found).toEqual(Array.from({ length: 83 }, (_, number) => encodeKey(claimKey(number))))
})

test('a damaged delivery log prevents the start of a server and names its folder', async () => {
  const process = await ClaimProcess.start(folder)
  await process.claim(claimKey(1), claimFacts())
  await process.deliverAndDie(claimKey(1))
  const owners = join(folder, 'owners')
  const [name = ''] = readdirSync(owners).filter((each) => each.endsWith('.deliveries'))
  truncateSync(join(owners, name), 20)
  await expect(openClaims(folder)).rejects.toMatchObject({
    code: 'STORE_CORRUPTED',
    message: expect.stringContaining(join(owners, name)),
    hint: expect.stringContaining(`restore ${folder} from a backup`),
  })
})
