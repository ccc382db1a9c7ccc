import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeTransferProof } from '../../host/payments/protocol/encode-proof.ts'
import { type Issued, makeCertificate } from '../support/node/certificate.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { TRANSPORTS } from '../support/node/server-fixture.ts'
import { runProgram } from '../support/program.ts'

const root = makeCertificate({ name: 'root' })
const first = makeCertificate({ name: 'first', issuer: root })
const second = makeCertificate({ name: 'second', issuer: root })
const GATE = ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0']
const TLS = ['--payments.tls-cert', 'tls/chain.pem', '--payments.tls-key', 'tls/key.pem']

function writePair(home: string, { certificate, key }: Pick<Issued, 'certificate' | 'key'>): void {
  const folder = join(home, 'tls')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'chain.pem'), certificate)
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
}

interface Answer {
  readonly status: number | undefined
  readonly body: string
  /** Name in the certificate of the server. */
  readonly by: string
}

function ask(url: string, options: https.RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { ca: root.certificate, agent: false, ...options } as const
    const request = https.get(url, all, (response) => {
      const by = String((response.socket as TLSSocket).getPeerCertificate().subject.CN)
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode, body, by }))
    })
    request.on('error', reject)
  })
}

/** Returns the status that `fetch` gets in a process that trusts the certificates of a file. */
async function fetchTrusting(file: string, url: string): Promise<string> {
  const program = 'fetch(process.argv[1]).then(({ status }) => console.log(status))'
  const variables = { NODE_EXTRA_CA_CERTS: file }
  const { stdout } = await runProgram([process.execPath, '-e', program, url], '', { variables })
  return stdout.trim()
}

describe.each(TRANSPORTS)('a gate with a certificate on %s', (transport) => {
  const home = makeHome()
  let daemon: Daemon

  beforeAll(async () => {
    writePair(home, first)
    writeFileSync(join(home, 'root.pem'), root.certificate)
    const fast = ['--consensus.block-time', '50ms', '--evm.rpc-server', transport]
    daemon = await startDaemon({ home, arguments: [...GATE, ...TLS, ...fast] })
  })
  afterAll(async () => {
    expect(await daemon.stop()).toBe(0)
    removeHome(home)
  })

  test('sells over HTTPS', async () => {
    const { payments, paymentToken, rpc } = daemon.ready
    expect(payments).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const url = `${payments}/x402/weather`
    const asked = await ask(url)
    expect([asked.status, asked.by]).toEqual([402, 'first'])
    const [offer] = JSON.parse(asked.body).accepts
    expect(offer.resource).toBe(url)
    expect(await fetchTrusting(join(home, 'root.pem'), url)).toBe('402')

    const wallet = createWalletClient({ account: devAccount(0), transport: http(rpc) })
    const chain = wallet.extend(publicActions)
    const hash = await chain.writeContract({
      chain: null,
      address: paymentToken as Hex,
      abi: erc20Abi,
      functionName: 'transfer',
      args: [offer.payTo, BigInt(offer.maxAmountRequired)],
    })
    await chain.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    const from = devAccount(0).address.toLowerCase() as Hex
    const amount = BigInt(offer.maxAmountRequired)
    const proof = { kind: 'transfer', txHash: hash, amount, from } as const
    const header = encodeTransferProof(proof, offer.network)
    expect(await ask(url, { headers: { 'x-payment': header } })).toMatchObject({ status: 200 })
  })

  test('uses a renewed certificate without a restart, and keeps the previous one if the new one is invalid', async () => {
    const url = `${daemon.ready.payments}/weather`
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(url, { agent })).toMatchObject({ status: 402, by: 'first' })
    writePair(home, second)
    await expect.poll(() => ask(url)).toMatchObject({ by: 'second' })
    expect(await ask(url, { agent })).toMatchObject({ status: 402, by: 'first' })
    agent.destroy()
    expect(daemon.output()).toContain('the certificate was renewed')
    writePair(home, { ...second, key: first.key })
    await expect.poll(() => daemon.output()).toContain('key.pem does not match the certificate in')
    expect(await ask(url)).toMatchObject({ status: 402, by: 'second' })
  })
})

describe('the gate does not start', () => {
  const home = makeHome()
  afterAll(() => removeHome(home))
  const start = async (address: string, ...options: readonly string[]) => {
    const gate = ['--payments.enable', 'true', '--payments.address', address]
    const ports = ['--evm.http-port', '0', '--rpc.laddr', 'tcp://127.0.0.1:0']
    const args = ['start', '--dev', '--home', home, ...ports, ...gate, ...options]
    const { code, stderr } = await runCommand(args)
    return [code, stderr]
  }

  test('on a public address without a certificate, unless a configuration key allows it', async () => {
    expect(await start('0.0.0.0:0')).toEqual([
      78,
      expect.stringContaining('[payments] address = "0.0.0.0" is reached from other machines'),
    ])
  })

  test('with a certificate and no key, or a key and no certificate', async () => {
    expect(await start('127.0.0.1:0', ...TLS.slice(0, 2))).toEqual([
      78,
      expect.stringContaining('[payments] tls-cert is set and tls-key is not'),
    ])
    expect(await start('127.0.0.1:0', ...TLS.slice(2))).toEqual([
      78,
      expect.stringContaining('[payments] tls-key is set and tls-cert is not'),
    ])
  })

  test('with an expired certificate, or a private key that others can read', async () => {
    writePair(home, makeCertificate({ name: 'old', to: new Date('2026-01-02T03:04:05Z') }))
    expect(await start('127.0.0.1:0', ...TLS)).toEqual([
      78,
      expect.stringContaining(`${join(home, 'tls/chain.pem')} expired at 2026-01-02T03:04:05.000Z`),
    ])
    writePair(home, first)
    chmodSync(join(home, 'tls/key.pem'), 0o644)
    expect(await start('127.0.0.1:0', ...TLS)).toEqual([
      78,
      expect.stringContaining(`permissions 0644 for ${join(home, 'tls/key.pem')} are too open`),
    ])
  })
})
