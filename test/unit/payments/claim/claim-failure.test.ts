import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../../../host/payments/claim/ledger.ts'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { claimFacts, claimKey, txHashOf } from '../../../support/payments/claim-facts.ts'
import { ClaimProcess } from '../../../support/payments/claim-process.ts'
import { noSmallDisk, SmallDisk } from '../../../support/store/small-disk.ts'

const DYING = new URL('dying-claim-worker.ts', import.meta.url)
/** Reason to skip the test that needs a small disk. */
const reason = noSmallDisk()

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe.skipIf(reason !== undefined)(`claims on a full disk (${reason ?? 'a real one'})`, () => {
  test('are refused until there is room, and no delivery is lost', async () => {
    const dir = temporaryFolder()
    const disk = await SmallDisk.mount(dir, 24)
    onTestFinished(() => disk.unmount())
    const claims = await ClaimProcess.start(join(dir, 'payments'), disk.command)
    await claims.claim(claimKey(1), claimFacts())
    await claims.claim(claimKey(2), claimFacts())
    await claims.claim(claimKey(3, 'authorization'), claimFacts())
    await claims.settling(claimKey(3, 'authorization'), txHashOf(3))
    disk.fillTo(2)
    const full = {
      code: 'STORE_FULL',
      message: expect.stringMatching(/^disk full: .* MiB free, 8 MiB are needed$/),
      hint: expect.stringContaining('without a restart'),
    }
    await expect(claims.claim(claimKey(4), claimFacts())).rejects.toMatchObject(full)
    await expect(claims.delivered(claimKey(1))).rejects.toMatchObject(full)
    await expect(claims.release(claimKey(2))).rejects.toMatchObject(full)
    await expect(claims.settled(claimKey(3, 'authorization'), txHashOf(3))).rejects.toMatchObject(
      full,
    )
    // It was served, regardless of the disk.
    expect(await claims.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
    disk.free()
    expect(await claims.claim(claimKey(4), claimFacts())).toMatchObject({ won: true })
    expect(await claims.claim(claimKey(2), claimFacts())).toMatchObject({ won: true })
    await claims.close()
    const again = await ClaimProcess.start(join(dir, 'payments'), disk.command)
    const outcomes = [1, 2, 4].map((number) => again.claim(claimKey(number), claimFacts()))
    expect(await Promise.all(outcomes)).toMatchObject([
      { reason: 'spent' },
      { won: true },
      { won: true },
    ])
    expect(await again.claim(claimKey(3, 'authorization'), claimFacts())).toMatchObject({
      won: true,
      record: { state: 'settled' },
    })
    await again.close()
  })
})

test('a damaged file is refused before anything is served, with its remedy', async () => {
  const folder = temporaryFolder()
  const claims = await openClaims(folder)
  const numbers = Array.from({ length: 300 }, (_, number) => number)
  await Promise.all(numbers.map((number) => claims.claim(claimKey(number), claimFacts())))
  await claims.close()
  const path = join(folder, 'claims.db', 'data.mdb')
  const file = openSync(path, 'r+')
  const { size } = statSync(path)
  for (let at = 8192; at < size; at += 512) writeSync(file, Uint8Array.of(0x5a), 0, 1, at + 100)
  closeSync(file)
  const damaged = {
    code: 'STORE_CORRUPTED',
    message: expect.stringContaining(path),
    hint: expect.stringContaining(`restore ${folder} from a backup`),
  }
  await expect(openClaims(folder)).rejects.toMatchObject(damaged)
  await expect(openLedger(folder)).rejects.toMatchObject(damaged)
  expect(readdirSync(join(folder, 'owners')), 'nobody counts as there').toEqual([])
})

test('a folder that is a regular file is refused', async () => {
  const folder = join(temporaryFolder(), 'payments')
  writeFileSync(folder, '')
  await expect(openClaims(folder)).rejects.toMatchObject({
    message: expect.stringContaining(folder),
  })
})

test.skipIf(process.getuid?.() === 0)(
  'a folder that cannot be written is refused (skipped for root, who may write anywhere)',
  async () => {
    const folder = temporaryFolder()
    const claims = await openClaims(folder)
    await claims.close()
    chmodSync(folder, 0o500)
    await expect(openClaims(folder)).rejects.toMatchObject({ code: 'STORE_DENIED' })
    chmodSync(folder, 0o700)
  },
)

test('claims close after their folder was removed', async () => {
  const folder = join(temporaryFolder(), 'removed')
  const claims = await openClaims(folder)
  await claims.claim(claimKey(1), claimFacts())
  rmSync(folder, { recursive: true })
  await claims.close()
  await expect(claims.claim(claimKey(2), claimFacts())).rejects.toMatchObject({
    code: 'SERVER_BUSY',
  })
})

describe('a claim thread that ends', () => {
  test('fails every pending and later claim', async () => {
    const folder = temporaryFolder()
    const claims = await openClaims(folder, DYING)
    const ended = {
      message: expect.stringMatching(
        /^the thread that writes the claims of .* died: it ended with code 3$/,
      ),
      hint: expect.stringContaining('restart the server'),
    }
    const waiting = [1, 2, 3].map((number) => claims.claim(claimKey(number), claimFacts()))
    for (const outcome of await Promise.allSettled(waiting)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: ended })
    }
    await expect(claims.claim(claimKey(4), claimFacts())).rejects.toMatchObject(ended)
    // Its promise is not awaited, and must not end the process.
    void claims.delivered(claimKey(1))
    await claims.close()
  })

  test('before it has opened the claims fails every caller', async () => {
    const folder = join(temporaryFolder(), 'at-once')
    await expect(openClaims(folder, DYING)).rejects.toThrow('died: it ended with code 4')
    const claims = await openClaims(folder)
    expect(await claims.claim(claimKey(1), claimFacts())).toMatchObject({ won: true })
    await claims.close()
  })
})
