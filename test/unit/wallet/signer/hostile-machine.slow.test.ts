import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SocketSignerLink } from '../../../../host/wallet/signer/socket-signer-link.ts'
import { noSmallDisk, SmallDisk } from '../../../support/store/small-disk.ts'
import { SignerProcess } from '../../../support/wallet/signer-process.ts'
import { askedOf, startSigner } from '../../../support/wallet/signer-socket.ts'

const TO = '0x00000000000000000000000000000000000000aa'
const DAY = 86_400
/** Reason to skip the tests that need a small disk. */
const reason = noSmallDisk()

/** Returns a policy that limits spending to `value` wei a day. */
function limit(value: number): object {
  const condition = {
    field_source: 'spending_window',
    field: 'native',
    operator: 'lte',
    value: `${value}`,
    period: DAY,
  }
  const rule = {
    name: 'limit',
    method: 'eth_sendTransaction',
    action: 'ALLOW',
    conditions: [condition],
  }
  return { version: '1.0', name: 'limit', chain_type: 'ethereum', rules: [rule] }
}

/** A wallet with a limit that spends one wei at a time. */
class Spender {
  readonly #link: Pick<SocketSignerLink, 'ask' | 'sign'>
  #wallet = ''
  #nonce = 0n

  constructor(link: Pick<SocketSignerLink, 'ask' | 'sign'>) {
    this.#link = link
  }

  async begin(wei: number): Promise<this> {
    const make = (path: string, body: unknown) =>
      this.#link.ask(askedOf({ path, body })) as Promise<{ id: string }>
    const policy = await make('/v1/policies', limit(wei))
    const body = { chain_type: 'ethereum', policy_ids: [policy.id] }
    this.#wallet = (await make('/v1/wallets', body)).id
    return this
  }

  /** Resolves with `signed`, or the code of the refusal. */
  async spend(): Promise<string> {
    const filled = {
      chainId: 1329n,
      nonce: this.#nonce++,
      gas: 21_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    }
    const params = { transaction: { to: TO, value: 1 } }
    const body = { method: 'eth_sendTransaction', caip2: 'eip155:1329', params }
    try {
      await this.#link.sign(askedOf({ path: `/v1/wallets/${this.#wallet}/rpc`, body }), filled)
      return 'signed'
    } catch (error) {
      return (error as { code?: string }).code ?? String(error)
    }
  }

  async spendAll(count: number): Promise<string[]> {
    const outcomes: string[] = []
    for (let i = 0; i < count; i++) outcomes.push(await this.spend())
    return outcomes
  }
}

const times = (count: number, outcome: string) => Array.from({ length: count }, () => outcome)

async function started(signer: SignerProcess): Promise<Spender> {
  await signer.start()
  const link = new SocketSignerLink(signer.socket, { patienceMs: 20_000 })
  onTestFinished(async () => {
    await link.close()
    await signer.stop()
  })
  return new Spender(link)
}

describe.skipIf(reason !== undefined)(
  `a signer whose own disk (${reason ?? 'a real one'}) is full`,
  () => {
    async function onDisk(): Promise<{ disk: SmallDisk; signer: SignerProcess }> {
      const folder = mkdtempSync(join(tmpdir(), 'signer-'))
      const disk = await SmallDisk.mount(folder, 24)
      const signer = new SignerProcess({ folder, command: disk.command })
      return { disk, signer }
    }

    test('signs nothing that it cannot record, and knows the spent amounts when there is room', async () => {
      const { disk, signer } = await onDisk()
      const spender = await (await started(signer)).begin(300)
      onTestFinished(() => disk.unmount())
      expect(await spender.spendAll(20)).toEqual(times(20, 'signed'))
      disk.fillTo(0)
      // The space left in the database's log is enough for a few.
      const full = await spender.spendAll(100)
      const signed = full.filter((outcome) => outcome === 'signed').length
      expect(full).toEqual([...times(signed, 'signed'), ...times(100 - signed, 'internal_error')])
      expect(signed).toBeLessThan(100)
      disk.free()
      const left = 300 - 20 - signed
      expect(await spender.spendAll(left + 1)).toEqual([
        ...times(left, 'signed'),
        'policy_violation',
      ])
      await signer.kill()
      await signer.start()
      expect(await spender.spend()).toBe('policy_violation')
    })

    test('names the database that it cannot write, and the remedy', async () => {
      const { disk, signer } = await onDisk()
      const spender = await (await started(signer)).begin(1)
      onTestFinished(() => disk.unmount())
      expect(await spender.spendAll(2)).toEqual(['signed', 'policy_violation'])
      await signer.end()
      disk.makeReadOnly()
      await expect(signer.start()).rejects.toMatchObject({
        code: 'STORE_DENIED',
        message: expect.stringContaining(signer.folder),
        hint: expect.stringContaining('writable'),
      })
    })
  },
)

test('a signer with 64 file descriptors answers again after the clients that exhausted them disconnect', async () => {
  const command = ['sh', '-c', 'ulimit -n 64 && exec "$@"', 'sh']
  const signer = new SignerProcess({ command })
  const spender = await (await started(signer)).begin(3)
  expect(await spender.spend()).toBe('signed')
  const sockets: Socket[] = []
  for (let i = 0; i < 200; i++) sockets.push(connect(signer.socket).on('error', () => {}))
  expect(await spender.spend()).toBe('signed')
  for (const socket of sockets) socket.destroy()
  expect(await spender.spendAll(2)).toEqual(['signed', 'policy_violation'])
  const link = new SocketSignerLink(signer.socket, { patienceMs: 20_000 })
  await link.ask(askedOf({ path: '/v1/wallets', body: { chain_type: 'ethereum' } }))
  await link.close()
})

test('a signer whose clock is set forward and back forgets no spending', async () => {
  let now = Date.now()
  const signer = await startSigner({ clock: () => now })
  onTestFinished(() => signer.close())
  const spender = await new Spender(signer.link).begin(3)
  expect(await spender.spendAll(4)).toEqual(['signed', 'signed', 'signed', 'policy_violation'])
  now -= 3 * DAY * 1_000
  expect(await spender.spend()).toBe('policy_violation')
  now += 5 * DAY * 1_000
  expect(await spender.spendAll(4)).toEqual(['signed', 'signed', 'signed', 'policy_violation'])
  // By this clock, the spending of both days is within the window.
  now -= 2 * DAY * 1_000
  expect(await spender.spend()).toBe('policy_violation')
})

test('a signer whose stored policy has a changed digit does not start, and names the file and the remedy', async () => {
  const signer = new SignerProcess()
  const spender = await (await started(signer)).begin(123_456)
  expect(await spender.spend()).toBe('signed')
  await signer.end()
  const path = join(signer.folder, 'signer.db')
  const bytes = readFileSync(path)
  const at = bytes.indexOf('123456')
  expect(at).toBeGreaterThan(0)
  bytes.write('923456', at)
  writeFileSync(path, bytes)
  await expect(signer.start()).rejects.toMatchObject({
    code: 'STORE_CORRUPTED',
    message: `Database is corrupted: ${path} is damaged: the rows of table policies are not those written`,
    hint: expect.stringContaining(`restore the folder of ${path} as a whole from a backup`),
  })
})
