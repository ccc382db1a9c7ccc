import { once } from 'node:events'
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import tls from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import type { KeyPairChange } from '../../../../host/api/server/certificate-watcher.ts'
import type { Server, ServerOptions } from '../../../../host/api/server/server.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import { makeGate } from '../../../support/gate.ts'
import { type Issued, makeCertificate } from '../../../support/node/certificate.ts'
import { postText } from '../../../support/node/raw-socket.ts'
import { SERVERS, ServerFixture } from '../../../support/node/server-fixture.ts'

const root = makeCertificate({ name: 'root' })
const trusted = root.certificate
const issue = (name: string) => makeCertificate({ name, issuer: root })
const [first, second, third] = [issue('first'), issue('second'), issue('third')]

/** Files of a certificate and its key in a separate folder. */
class Files {
  readonly folder = mkdtempSync(join(tmpdir(), 'tls '))
  readonly certificate = join(this.folder, 'chain.pem')
  readonly key = join(this.folder, 'key.pem')
  readonly changes: KeyPairChange[] = []

  constructor(issued: Issued) {
    this.write(issued)
  }

  get options(): NonNullable<ServerOptions['tls']> {
    const { certificate, key, changes } = this
    return { certificate, key, checkMs: 10, onChange: (change) => changes.push(change) }
  }

  write({ certificate, key }: Pick<Issued, 'certificate' | 'key'>): void {
    writeFileSync(this.certificate, certificate)
    writeFileSync(this.key, key, { mode: 0o600 })
  }

  /** Resolves with the next change that a server reports. */
  async change(count = 1): Promise<KeyPairChange> {
    await expect.poll(() => this.changes.length, { interval: 5 }).toBe(count)
    return this.changes[count - 1] as KeyPairChange
  }
}

const made: Files[] = []
function filesOf(issued: Issued): Files {
  const files = new Files(issued)
  made.push(files)
  return files
}
afterEach(() => {
  for (const { folder } of made.splice(0)) rmSync(folder, { recursive: true })
})

/** Returns the body for a new connection, and the issuer of its certificate. */
function ask(server: Server, options: https.RequestOptions = {}): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const all = { host: '127.0.0.1', port: server.port, ca: trusted, agent: false, ...options }
    const request = https.request({ ...all, method: 'POST' }, (response) => {
      const { CN } = (response.socket as tls.TLSSocket).getPeerCertificate().subject
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve([body, String(CN)]))
    })
    request.on('error', reject)
    request.end('asked')
  })
}

function versionWith(server: Server, version: tls.SecureVersion): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect(
      {
        host: '127.0.0.1',
        port: server.port,
        ca: trusted,
        minVersion: version,
        maxVersion: version,
        // Disables this client's own rule against old versions, to test that of the server.
        ciphers: 'DEFAULT@SECLEVEL=0',
      },
      () => {
        resolve(socket.getProtocol())
        socket.destroy()
      },
    )
    socket.on('error', reject)
  })
}

describe.each(SERVERS)('TLS of the %s server', (name) => {
  const servers = new ServerFixture(name)

  test('serves requests and WebSockets, and knows the client address', async () => {
    const server = await servers.serve({
      tls: filesOf(first).options,
      handler: ({ body, remoteAddress }) => ({
        status: 200,
        body: `${remoteAddress} ${Buffer.from(body)}`,
      }),
      webSocket: {
        onOpen: () => undefined,
        onMessage: (peer, message) => peer.send(`heard ${Buffer.from(message)}`),
        onClose: () => undefined,
      },
    })
    expect(await ask(server)).toEqual(['127.0.0.1 asked', 'first'])
    const socket = new WebSocket(`wss://localhost:${server.port}`, { ca: trusted })
    servers.cleanups.push(() => socket.terminate())
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('this')
    const heard = await new Promise((resolve) => socket.once('message', resolve))
    expect(String(heard)).toBe('heard this')
  })

  test('sends the intermediate certificates', async () => {
    const between = makeCertificate({ name: 'between', issuer: root, isAuthority: true })
    const own = makeCertificate({ name: 'own', issuer: between })
    const files = filesOf({ ...own, certificate: own.certificate + between.certificate })
    const server = await servers.serve({ tls: files.options })
    expect(await ask(server)).toEqual(['POST asked', 'own'])
  })

  test('speaks only TLS 1.2 and 1.3', async () => {
    const server = await servers.serve({ tls: filesOf(first).options })
    expect(await versionWith(server, 'TLSv1.3')).toBe('TLSv1.3')
    expect(await versionWith(server, 'TLSv1.2')).toBe('TLSv1.2')
    for (const version of ['TLSv1.1', 'TLSv1'] as const) {
      await expect(versionWith(server, version)).rejects.toMatchObject({
        code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      })
    }
  })

  test('answers nothing to plain HTTP', async () => {
    let served = 0
    const handler = () => ({ status: 200, body: `${served++}` })
    const server = await servers.serve({ tls: filesOf(first).options, handler })
    const socket = await servers.connect(server)
    socket.send(postText('in the clear'))
    expect(await socket.closed()).not.toContain('HTTP')
    expect(served).toBe(0)
  })

  test('sends large and streamed bodies whole to a client that reads late', async () => {
    const size = 4_000_000
    async function* pieces() {
      for (let i = 0; i < 40; i++) yield { borrowed: new Uint8Array(size / 40).fill(122) }
    }
    const server = await servers.serve({
      tls: filesOf(first).options,
      handler: ({ body }) => ({
        status: 200,
        body: Buffer.from(body).toString() === 'stream' ? pieces() : 'z'.repeat(size),
      }),
    })
    for (const kind of ['whole', 'stream']) {
      const socket = await servers.connect(server, trusted)
      socket.pause()
      socket.send(postText(kind))
      await new Promise((resolve) => setImmediate(resolve))
      socket.resume()
      await socket.length(size)
      const text = await (kind === 'stream' ? socket.until('\r\n0\r\n\r\n') : socket.received)
      expect(text.slice(text.indexOf('\r\n\r\n')).split('z')).toHaveLength(size + 1)
    }
  })

  test('finishes a streamed WebSocket message for a client that reads slowly', async () => {
    const piece = new Uint8Array(256 * 1024).fill(0x78)
    const count = 40
    async function* pieces() {
      for (let i = 0; i < count; i++) yield { borrowed: piece }
    }
    const server = await servers.serve({
      tls: filesOf(first).options,
      webSocket: {
        onOpen: () => undefined,
        onMessage: (peer) => void peer.stream(pieces()).then(() => peer.send('behind it')),
        onClose: () => undefined,
      },
    })
    const socket = new WebSocket(`wss://localhost:${server.port}`, { ca: trusted })
    servers.cleanups.push(() => socket.terminate())
    await once(socket, 'open')
    const lengths: number[] = []
    const ended = new Promise<void>((resolve) => {
      socket.on('message', (message: Buffer) => {
        lengths.push(message.length)
        if (lengths.length === 2) resolve()
      })
    })
    socket.send('all')
    for (let pauses = 0; pauses < 50; pauses++) {
      socket.pause()
      await nextTurn()
      socket.resume()
      await nextTurn()
    }
    await ended
    expect(lengths).toEqual([count * piece.length, 9])
  })

  test('uses a renewed certificate for new connections and keeps the existing ones', async () => {
    const files = filesOf(first)
    const started = makeGate()
    const answer = makeGate<string>()
    const server = await servers.serve({
      tls: files.options,
      handler: async ({ body }) => {
        if (Buffer.from(body).toString() !== 'slow') return { status: 200, body: 'quick' }
        started.open()
        return { status: 200, body: await answer.opened }
      },
    })
    const idle = await servers.connect(server, trusted)
    idle.send(postText('quick'))
    await idle.until('quick')
    const busy = await servers.connect(server, trusted)
    busy.send(postText('slow'))
    await started.opened

    files.write(second)
    expect(await files.change()).toEqual({
      kind: 'renewed',
      names: 'DNS:localhost, IP Address:127.0.0.1',
      expires: expect.any(Date),
    })
    expect(await ask(server)).toEqual(['quick', 'second'])
    const between = await servers.connect(server, trusted)
    files.write(third)
    expect(await files.change(2)).toMatchObject({ kind: 'renewed' })
    expect(await ask(server)).toEqual(['quick', 'third'])

    for (const socket of [idle, between]) socket.send(postText('quick'))
    await idle.until('quick', 2)
    await between.until('quick')
    answer.open('at last')
    await busy.until('at last')
    expect([idle, busy, between].map(({ peer }) => peer)).toEqual(['first', 'first', 'second'])
  })

  test('refuses no connection while certificates change', async () => {
    const files = filesOf(first)
    const server = await servers.serve({ tls: files.options })
    const seen = new Set<string>()
    let changing = true
    const client = async () => {
      while (changing) {
        const [answer, by = ''] = await ask(server)
        expect(answer).toBe('POST asked')
        seen.add(by)
      }
    }
    const clients = Promise.all([client(), client(), client()])
    for (const [i, issued] of [second, third, first, second].entries()) {
      files.write(issued)
      await files.change(i + 1)
      await expect.poll(() => seen.has(issued.name)).toBe(true)
    }
    changing = false
    await clients
  })

  test('counts connections across renewals and closes all of them', async () => {
    const files = filesOf(first)
    const server = await servers.serve({ tls: files.options, maxConnections: 2 })
    const old = await servers.connect(server, trusted)
    files.write(second)
    await files.change()
    const recent = await servers.connect(server, trusted)
    for (const socket of [old, recent]) socket.send(postText('in'))
    for (const socket of [old, recent]) await socket.until('POST in')
    await expect(servers.connect(server, trusted)).rejects.toThrow()
    await server.close(0)
    await old.closed()
    await recent.closed()
  })

  test('closes although a client has sent no ClientHello', async () => {
    const server = await servers.serve({ tls: filesOf(first).options })
    const mute = await servers.connect(server)
    await ask(server)
    await server.close(60_000)
    expect(await mute.closed()).toBe('')
  })

  test('keeps its certificate if the new one is invalid, until it is valid', async () => {
    const files = filesOf(first)
    const server = await servers.serve({ tls: files.options })
    // What a renewal leaves if it stops between its two files.
    writeFileSync(files.certificate, second.certificate)
    const { error } = (await files.change()) as Extract<KeyPairChange, { kind: 'kept' }>
    expect(error.message).toBe(
      `the key in ${files.key} does not match the certificate in ${files.certificate}`,
    )
    expect(await ask(server)).toEqual(['POST asked', 'first'])
    writeFileSync(files.certificate, second.certificate.slice(0, 200))
    expect(await files.change(2)).toMatchObject({ kind: 'kept' })
    rmSync(files.certificate)
    expect(await files.change(3)).toMatchObject({
      kind: 'kept',
      error: { message: expect.stringMatching(/^cannot read the certificate: ENOENT/) },
    })
    files.write(second)
    chmodSync(files.key, 0o640)
    expect(await files.change(4)).toMatchObject({
      kind: 'kept',
      error: { message: `permissions 0640 for ${files.key} are too open` },
    })
    expect(await ask(server)).toEqual(['POST asked', 'first'])
    chmodSync(files.key, 0o600)
    expect(await files.change(5)).toMatchObject({ kind: 'renewed' })
    expect(await ask(server)).toEqual(['POST asked', 'second'])
  })

  test('follows a symbolic link that is moved to other files', async () => {
    const [before, after] = [filesOf(first), filesOf(second)]
    const link = join(before.folder, 'live')
    symlinkSync(before.folder, link)
    const { changes } = before
    const server = await servers.serve({
      tls: {
        certificate: join(link, 'chain.pem'),
        key: join(link, 'key.pem'),
        checkMs: 10,
        onChange: (change) => changes.push(change),
      },
    })
    symlinkSync(after.folder, `${link}.new`)
    renameSync(`${link}.new`, link)
    expect(await before.change()).toMatchObject({ kind: 'renewed' })
    expect(await ask(server)).toEqual(['POST asked', 'second'])
  })

  const DAY_MS = 86_400_000
  const old = makeCertificate({ name: 'old', to: new Date('2026-01-02T03:04:05Z') })
  const early = makeCertificate({
    name: 'early',
    from: new Date('2099-01-02T03:04:05Z'),
    to: new Date(Date.parse('2099-01-02T03:04:05Z') + DAY_MS),
  })
  const encrypted = first.privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  }) as string
  test.each<[string, (files: Files) => void, (files: Files) => [message: string, hint: string]]>([
    [
      'no certificate',
      ({ certificate }) => rmSync(certificate),
      ({ certificate }) => [
        `cannot read the certificate: ENOENT: no such file or directory, open '${certificate}'`,
        `write the certificate in PEM to ${certificate}, or set the path of the file that contains it`,
      ],
    ],
    [
      'no key',
      ({ key }) => rmSync(key),
      ({ key }) => [
        `cannot read the private key of the certificate: ENOENT: no such file or directory, open '${key}'`,
        `write the private key of the certificate in PEM to ${key}, or set the path of the file that contains it`,
      ],
    ],
    [
      'a key that others can read',
      ({ key }) => chmodSync(key, 0o644),
      ({ key }) => [
        `permissions 0644 for ${key} are too open`,
        `run \`chmod 600 '${key}'\`; anyone who can read the key can impersonate this server`,
      ],
    ],
    [
      'the key of another certificate',
      (files) => files.write({ ...first, key: second.key }),
      ({ certificate, key }) => [
        `the key in ${key} does not match the certificate in ${certificate}`,
        'write the key for which the certificate was issued',
      ],
    ],
    [
      'a key in the place of the certificate',
      (files) => files.write({ ...first, certificate: first.key }),
      ({ certificate }) => [
        `${certificate} contains no PEM certificate: `,
        'write the certificate chain in PEM, with the certificate of this server first',
      ],
    ],
    [
      'a certificate in the place of the key',
      (files) => files.write({ ...first, key: first.certificate }),
      ({ key }) => [
        `${key} contains no PEM private key`,
        'write the private key of the certificate in PEM',
      ],
    ],
    [
      'a key under a passphrase',
      (files) => files.write({ ...first, key: encrypted }),
      ({ key }) => [
        `the key in ${key} is protected by a passphrase, which cannot be entered when the node starts`,
        'write it without a passphrase, readable only by the user of the node (chmod 600)',
      ],
    ],
    [
      'an expired certificate',
      (files) => files.write(old),
      ({ certificate }) => [
        `the certificate in ${certificate} expired at 2026-01-02T03:04:05.000Z`,
        'renew it: clients reject an expired certificate',
      ],
    ],
    [
      'a certificate of later',
      (files) => files.write(early),
      ({ certificate }) => [
        `the certificate in ${certificate} is not valid before 2099-01-02T03:04:05.000Z`,
        'correct the clock of this machine, or write a certificate that is valid now',
      ],
    ],
    [
      'a chain that breaks off',
      (files) =>
        files.write({ ...first, certificate: first.certificate + second.certificate.slice(0, 99) }),
      ({ certificate }) => [
        `the certificate in ${certificate} cannot be used: `,
        'write a certificate chain that OpenSSL accepts, with keys of sufficient length',
      ],
    ],
  ])('does not start with %s', async (_what, damage, expected) => {
    const files = filesOf(first)
    damage(files)
    const thrown = await servers.serve({ tls: files.options }).catch((error: unknown) => error)
    const [message, hint] = expected(files)
    expect(thrown).toBeInstanceOf(LockstepError)
    const { code, ...error } = thrown as LockstepError
    expect([code, error.hint]).toEqual(['CERTIFICATE_INVALID', hint])
    expect((thrown as LockstepError).message.slice(0, message.length)).toBe(message)
    expect((thrown as LockstepError).message).not.toContain(first.key.split('\n')[1])
  })
})
