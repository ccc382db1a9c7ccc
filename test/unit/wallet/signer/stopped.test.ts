import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childCommand } from '../../../../host/wallet/launch/child-command.ts'
import type { SignerFacts, SignerStart } from '../../../../host/wallet/launch/start-contract.ts'
import { SupervisedChild } from '../../../../host/wallet/launch/supervised-child.ts'
import { pingSigner } from '../../../../host/wallet/signer/ping-signer.ts'
import { SocketSignerLink } from '../../../../host/wallet/signer/socket-signer-link.ts'
import { until } from '../../../support/until.ts'
import { askedOf, PUBLIC_URL, startSigner } from '../../../support/wallet/signer-socket.ts'

const MAIN = new URL('../../../../host/wallet/signer/signer-main.ts', import.meta.url)

describe('a signer that is stopped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'))
  const socket = join(folder, 's')
  const key = randomBytes(32)
  const pids: number[] = []
  const logged: string[] = []
  const note = (message: string, fields?: Readonly<Record<string, unknown>>) => {
    logged.push(message)
    if (message === 'the signer answers') pids.push(Number(fields?.pid))
  }
  const link = new SocketSignerLink(socket, { patienceMs: 120_000 })
  let child: SupervisedChild<SignerStart, SignerFacts>

  beforeAll(async () => {
    ;({ child } = await SupervisedChild.start<SignerStart, SignerFacts>({
      name: 'the signer',
      command: childCommand(MAIN, { read: [], write: [folder], addons: false }),
      variables: {},
      identity: undefined,
      start: () => ({
        folder,
        socket,
        publicUrls: [PUBLIC_URL],
        requireRequestExpiry: false,
        requirePolicy: false,
        policyChanges: 'app',
      }),
      secrets: async () => [{ kind: 'key', bytes: Uint8Array.from(key) }],
      log: { debug: note, info: note, warn: note, error: note },
      ping: (signal) => pingSigner(socket, signal),
      pingMs: 200,
    }))
  })
  afterAll(async () => {
    await link.close()
    await child.stop(5_000)
    rmSync(folder, { recursive: true })
  })

  test('is killed and replaced, and the pending requests are answered', async () => {
    const body = { chain_type: 'ethereum' }
    const made = (await link.ask(askedOf({ path: '/v1/wallets', body }))) as { id: string }
    const sign = () => {
      const hello = { method: 'personal_sign', params: { message: 'hello' } }
      return link.sign(askedOf({ path: `/v1/wallets/${made.id}/rpc`, body: hello }))
    }
    const before = await sign()
    const stopped = pids.at(-1) as number
    process.kill(stopped, 'SIGSTOP')
    expect((await sign()).signed).toEqual(before.signed)
    expect(pids.at(-1)).not.toBe(stopped)
    expect(() => process.kill(stopped, 0)).toThrow('ESRCH')
    expect(logged).toContain('the signer does not answer: it is killed and restarted')
  })
})

describe('the error for a signer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'))
  const silent = join(folder, 'silent')
  let server: Server
  let connections = 0
  beforeAll(async () => {
    server = createServer((socket) => {
      connections++
      socket.resume()
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(silent, resolve))
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  const asked = askedOf({ path: '/v1/wallets', body: { chain_type: 'ethereum' } })

  test('that is not running says that nothing was done', async () => {
    const link = new SocketSignerLink(join(folder, 'nobody'), { patienceMs: 200 })
    await expect(link.ask(asked)).rejects.toMatchObject({
      code: 'signer_unreachable',
      message:
        'there was no signer for 1 s, and this request was not executed. Send it again; ' +
        'the log of the node says why its signer does not start',
    })
    await link.close()
  })

  test('that is silent says that the outcome is unknown', async () => {
    const link = new SocketSignerLink(silent, { patienceMs: 2_000 })
    await expect(link.ask(asked)).rejects.toMatchObject({
      code: 'signer_unreachable',
      message:
        'the signer has not answered for 2 s, and is restarted if it hangs. It had received this request: ' +
        'it is unknown whether it was executed. Send it again with the same idempotency key, or check first',
    })
    expect(connections).toBe(1)
    await link.close()
    await expect(link.ask(asked)).rejects.toThrow('the service is shutting down')
  })
})

test('a signer answers a health check before the pending requests', async () => {
  const signer = await startSigner()
  const body = { chain_type: 'ethereum' }
  let done = 0
  const making = Array.from({ length: 600 }, async () => {
    await signer.ask({ path: '/v1/wallets', body })
    done++
  })
  await until(() => done > 0)
  await pingSigner(signer.socket, new AbortController().signal)
  expect(done).toBeLessThan(600)
  await Promise.all(making)
  await signer.close()
})
