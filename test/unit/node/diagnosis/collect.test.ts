import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redactText } from '../../../../host/base/log/redact-text.ts'
import { readTail } from '../../../../host/node/diagnosis/log-tail.ts'
import {
  initializeValidator,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../../support/node/daemon.ts'
import { reachHeight } from '../../../support/node/progress.ts'

describe('the collected end of a log', () => {
  const line = (ms: number, text = 'INF block'): string => `${new Date(ms).toISOString()} ${text}`
  const start = Date.parse('2026-11-20T12:00:00Z')

  test('has a thousand lines if those cover more than a quarter of an hour', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => line(start + i * 60_000))
    expect((await readTail(lines)).lines).toEqual(lines.slice(-1_000))
  })

  test('covers a quarter of an hour if that is more than a thousand lines', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => line(start + i * 100))
    const { lines: kept, cut } = await readTail(lines)
    expect(kept).toEqual(lines.slice(-9_001))
    expect(cut).toBe(0)
  })

  test('treats stack lines as part of the line above, and accepts lines without a time', async () => {
    const lines = Array.from({ length: 4_000 }, (_, i) =>
      i % 2 === 0 ? line(start + i * 250) : '    at run (file.ts:1:2)',
    )
    expect((await readTail(lines)).lines.length).toBe(3_602)
    const untimed = Array.from({ length: 3_000 }, (_, i) => `line ${i}`)
    expect((await readTail(untimed)).lines).toEqual(untimed.slice(-1_000))
  })
})

/** Secrets in the forms in which they occur in logs and configuration, each with the text around it. */
const PLANTED: Readonly<Record<string, (secret: string) => string>> = {
  'password of an address': (secret) => `server=https://admin:${secret}@rpc.example/x`,
  'user of an address': (secret) => `wss://${secret}@rpc.example`,
  'key in a query': (secret) => `https://rpc.example/v1?network=main&apikey=${secret}&x=1`,
  'token in a query': (secret) => `https://rpc.example/?access_token=${secret}`,
  'key in a path': (secret) => `url=https://rpc.example/v2/${secret}`,
  'bearer token': (secret) => `header="Authorization: Bearer ${secret}"`,
  'basic credentials': (secret) => `authorization: Basic ${secret}`,
  'JSON field': (secret) => `{"level":"info","privateKey":"${secret}"}`,
  'quoted JSON field': (secret) => `body="{\\"secret\\":\\"${secret}\\"}"`,
  'TOML field': (secret) => `jwt_secret = "${secret}"`,
  'logged field': (secret) => `INF signing private_key=${secret} height=4`,
  'password field': (secret) => `password: ${secret}`,
  'app secret': (secret) => `PRIVY_APP_SECRET=${secret}`,
  'key of a developer account': (secret) =>
    `  (0) 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266  0x${secret.padEnd(64, '0')}`,
}

/** Returns letters and digits that form no word, as long as the keys of providers. */
function secretOf(place: number): string {
  return `5ec7e7${String(place).padStart(2, '0')}`.padEnd(40, 'abcdef0123456789')
}

test.each(Object.entries(PLANTED))('a diagnosis text has its %s redacted', (_, write) => {
  const secret = secretOf(7)
  const shown = redactText(`before ${write(secret)} behind`)
  expect(shown).not.toContain(secret)
  expect(shown).toContain('[redacted]')
  expect(shown.startsWith('before ')).toBe(true)
})

test.each([
  'INF block height=12 hash=0x1111111111111111111111111111111111111111111111111111111111111111',
  'tx https://rpc.example/tx/12 keys=4 tokens=9 max-tx-bytes = 131072',
  'persistent-peers = "aa@h.example:26656"',
  'key [evm] http_port, secretly',
])('redaction keeps text that is not secret: %s', (text) => {
  expect(redactText(text)).toBe(text)
})

test.each([
  'a',
  'a-',
  'a.',
  'http://',
  'eyJ-',
  '?key',
  '-----BEGIN PRIVATE KEY-----',
  'priv_key:{',
  '/',
])('redaction takes time linear in the length for a line of 600,000 times %j', (part) => {
  // With quadratic time it takes several minutes.
  const read = () =>
    runInNewContext(
      'read(text)',
      { read: redactText, text: part.repeat(600_000) },
      { timeout: 60_000 },
    )
  expect(read).not.toThrow()
})

/** Adds settings to tables of a file, which may already contain the tables and the keys. */
function writeSettings(file: string, tables: Readonly<Record<string, readonly string[]>>): void {
  const parts = readFileSync(file, 'utf8').split(/^(?=\[)/m)
  for (const [table, lines] of Object.entries(tables)) {
    const at = parts.findIndex((part) => part.startsWith(`[${table}]\n`))
    const [header, ...rest] = (parts[at] ?? `[${table}]\n`).split('\n')
    const names = lines.map((line) => `${line.split(' ')[0]} =`)
    const kept = rest.filter((line) => !names.some((name) => line.startsWith(name)))
    parts.splice(at < 0 ? parts.length : at, at < 0 ? 0 : 1, [header, ...lines, ...kept].join('\n'))
  }
  writeFileSync(file, parts.join(''))
}

describe('a diagnosis bundle', () => {
  let home: string
  let text: string
  let folder: string
  const keys: string[] = []
  const PEM =
    '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIKPEMsecretPEMsecret\n-----END PRIVATE KEY-----'
  const MASTER = secretOf(55).padEnd(64, '7')
  const SETTLER = secretOf(56).padEnd(64, '8')
  const MNEMONIC = 'test test test test test test test test test test test junk'

  beforeAll(async () => {
    home = makeHome()
    folder = makeHome()
    await initializeValidator(home)
    const daemon = await startDaemon({
      home,
      dev: false,
      arguments: ['--consensus.block-time', '10ms'],
    })
    await reachHeight(daemon.ready.rpc, 8)
    await daemon.stop()
    for (const name of ['priv_validator_key.json', 'node_key.json']) {
      const { priv_key } = JSON.parse(readFileSync(join(home, 'config', name), 'utf8'))
      const bytes = Buffer.from(priv_key.value, 'base64')
      keys.push(priv_key.value, bytes.toString('hex'), bytes.subarray(0, 32).toString('hex'))
      keys.push(bytes.subarray(0, 32).toString('base64'), bytes.toString('base64url'))
    }
    const log = join(home, 'logs/lockstep.log')
    const lines = Object.values(PLANTED).map((write, i) => `INF ${write(secretOf(i))}`)
    appendFileSync(log, `${[...lines, ...keys, PEM, `mnemonic: ${MNEMONIC}`].join('\n')}\n`)
    const app = join(home, 'config/app.toml')
    appendFileSync(app, `# ${keys[0]}\nnot_known = "https://me:${secretOf(50)}@host.example"\n`)
    appendFileSync(join(home, 'config/config.toml'), `webhook_secret = '${secretOf(51)}'\n`)
    // Secrets from other files and from the configuration, in lines without any hint of them.
    const command = `read-it from-the-vault ${secretOf(54)}`
    writeSettings(app, {
      wallets: [
        `master-key-command = "${command}"`,
        'passphrase-file = "config/passphrase"',
        'tls-key = "config/tls.pem"',
      ],
      payments: ['settler-key = "config/settler"', 'facilitator-tokens = "config/tokens"'],
    })
    writeFileSync(join(home, 'config/wallets_master_key'), `${MASTER}\n`)
    writeFileSync(join(home, 'config/passphrase'), 'plain words of a phrase\n')
    writeFileSync(join(home, 'config/settler'), `0x${SETTLER}\n`)
    writeFileSync(join(home, 'config/tokens'), `# callers\n${secretOf(55)}\n`, { mode: 0o600 })
    writeFileSync(join(home, 'config/tls.pem'), PEM)
    appendFileSync(
      log,
      [
        `INF master ${Buffer.from(MASTER, 'hex').toString('base64')}`,
        `INF ran ${command} in 12ms`,
        'INF opened by plain words of a phrase',
        `INF account ${SETTLER} pays`,
        `INF a caller showed ${secretOf(55)} and was let in`,
        `INF loaded MC4CAQAwBQYDK2VwBCIEIKPEMsecretPEMsecret`,
        '',
      ].join('\n'),
    )
    mkdirSync(join(home, 'crash'), { recursive: true })
    writeFileSync(
      join(home, 'crash/report.json'),
      JSON.stringify({
        header: { event: 'Allocation failed', commandLine: ['node', `--password=${secretOf(52)}`] },
        environmentVariables: { ANY: secretOf(53) },
        javascriptStack: { stack: ['at grow'] },
      }),
    )
    const out = join(folder, 'bundle.tar.gz')
    const { code, stdout } = await runCommand(['debug', 'collect', '--home', home, '--out', out])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${out}\n` })
    expect(statSync(out).mode & 0o777).toBe(0o600)
    text = gunzipSync(readFileSync(out)).toString('latin1')
    expect(spawnSync('tar', ['-xzf', out, '-C', folder]).status).toBe(0)
  })
  afterAll(() => [home, folder].forEach(removeHome))

  test('contains no secret', () => {
    const secrets = [...Object.keys(PLANTED).map((_, i) => secretOf(i)), ...keys]
    for (const place of [50, 51, 52, 53, 54, 55]) secrets.push(secretOf(place))
    secrets.push(MASTER, SETTLER, Buffer.from(MASTER, 'hex').toString('base64'))
    secrets.push('from-the-vault', 'plain words of a phrase')
    for (const secret of [...secrets, 'PEMsecret', MNEMONIC]) expect(text).not.toContain(secret)
    const state = JSON.parse(readFileSync(join(home, 'data/priv_validator_state.json'), 'utf8'))
    expect(state.signature.length).toBeGreaterThan(40)
    expect(text).not.toContain(state.signature)
    expect(text).not.toContain(state.signbytes)
  })

  test('contains the files of a report, which tar can read', () => {
    const read = (name: string): string =>
      readFileSync(join(folder, 'lockstep-crash', name), 'utf8')
    const files = readdirSync(join(folder, 'lockstep-crash'), { recursive: true })
      .map(String)
      .sort()
    expect(files).toEqual([
      'chain.json',
      'config',
      'config/app.toml',
      'config/config.toml',
      'crash',
      'crash/report.json',
      'findings.json',
      'log.txt',
      'settings.json',
      'stacks.txt',
      'versions.json',
    ])
    const chain = JSON.parse(read('chain.json'))
    expect(chain.newestBlock.height).toBeGreaterThanOrEqual(8)
    expect(chain.newestBlock.commitHash).toMatch(/^[0-9A-F]{64}$/)
    expect(chain.stateCommit).toEqual({
      height: chain.newestBlock.height,
      appHash: expect.stringMatching(/^[0-9A-F]{64}$/),
    })
    expect(chain.signed).toEqual({ height: `${chain.newestBlock.height}`, round: 0, step: 3 })
    const versions = JSON.parse(read('versions.json'))
    expect(versions.node).toBe(process.versions.node)
    expect(Object.keys(versions.wasm)).toEqual([
      'engine',
      'commit',
      'modules',
      'pairing',
      'recovery',
    ])
    expect(versions.wasm.engine).toMatch(/^[0-9a-f]{64}$/)
    expect(read('log.txt')).toContain('NodeDB SS is enabled')
    expect(read('config/app.toml')).toContain('evm-ss-split = false')
    expect(JSON.parse(read('crash/report.json')).javascriptStack.stack).toEqual(['at grow'])
    const findings = JSON.parse(read('findings.json'))
    expect(findings.map(({ subject }: { subject: string }) => subject)).toContain('configuration')
  })

  test('does not overwrite a file, and can be created for a home that cannot be opened', async () => {
    const out = join(folder, 'bundle.tar.gz')
    const again = await runCommand(['debug', 'collect', '--home', home, '--out', out])
    expect([again.code, again.stderr]).toEqual([
      64,
      `Error: --out: ${out} exists\nHint: name another file\n`,
    ])
    const broken = join(folder, 'broken')
    mkdirSync(broken)
    writeFileSync(join(broken, 'config'), 'a file')
    const of = await runCommand([
      'debug',
      'collect',
      '--home',
      broken,
      '--out',
      join(folder, 'b.tgz'),
    ])
    expect(of.code).toBe(0)
  })
})

test('Node writes its own report into the home when memory runs out, without the environment', () => {
  const home = makeHome()
  const root = new URL('../../../..', import.meta.url)
  const program = `
    import { keepCrashReports } from '${new URL('host/cli/start/crash-reports.ts', root)}'
    import { homeAt } from '${new URL('host/node/home/home.ts', root)}'
    keepCrashReports(homeAt(${JSON.stringify(home)}))
    const held = []
    for (;;) held.push(new Array(1e5).fill({}))
  `
  try {
    const { signal } = spawnSync(
      process.execPath,
      ['--max-old-space-size=40', '--input-type=module', '-e', program],
      { env: { ...process.env, SOME_TOKEN: secretOf(60) } },
    )
    expect(signal).not.toBeNull()
    const [name = ''] = readdirSync(join(home, 'crash'))
    const report = readFileSync(join(home, 'crash', name), 'utf8')
    expect(JSON.parse(report).header.event).toMatch(/Allocation|OOM/)
    expect(report).not.toContain(secretOf(60))
  } finally {
    removeHome(home)
  }
})
