import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/node/json-rpc.ts'
import {
  bareEnvironment,
  CHECKOUT,
  packCheckout,
  runIn,
} from '../support/package/installed-package.ts'
import { startProgram } from '../support/program.ts'

/** dpkg gives files their owners, so that only root can install. */
const reason =
  process.getuid?.() !== 0 || !existsSync('/usr/bin/dpkg-deb') ? ': needs root and dpkg' : ''

let folder: string
let tarball: string
let deb: string
/** Root of an installation. */
let root: string

async function mustRun(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runIn(folder, program, args)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

const makeDeb = (out: string) =>
  mustRun(process.execPath, [join(CHECKOUT, 'tools/package/debian.ts'), tarball, out])

function dpkg(...args: string[]): Promise<string> {
  return mustRun('dpkg', [
    `--root=${root}`,
    '--force-script-chrootless',
    // The root has no other packages
    '--force-depends',
    `--log=${join(folder, 'dpkg.log')}`,
    ...args,
  ])
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-packed-'))
  root = join(folder, 'root')
  tarball = await packCheckout(folder)
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('two copies of a checkout pack the same bytes', async () => {
  const other = join(folder, 'another folder')
  mkdirSync(other)
  const again = await packCheckout(other)
  expect(readFileSync(again).equals(readFileSync(tarball))).toBe(true)
}, 600_000)

describe.skipIf(reason !== '')(`the Debian package${reason}`, () => {
  test('is the same to the byte when it is made twice', async () => {
    deb = join(folder, 'lockstep.deb')
    await makeDeb(deb)
    const again = join(folder, 'again.deb')
    await makeDeb(again)
    expect(readFileSync(again).equals(readFileSync(deb))).toBe(true)
    rmSync(again)
  }, 600_000)

  test('depends on the Node that the package needs, and lists files of root alone', async () => {
    const { engines, version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
    const control = await mustRun('dpkg-deb', ['--field', deb])
    expect(control).toContain(`\nVersion: ${version}\n`)
    expect(control).toContain(`nodejs (>= ${engines.node.replace('>=', '')})`)
    const lines = (await mustRun('dpkg-deb', ['--contents', deb])).trim().split('\n')
    expect(lines.filter((line) => !/^\S+ root\/root /.test(line))).toEqual([])
    expect(
      lines.filter((line) => /\/node_modules\/(?:vitest|typescript|viem)\//.test(line)),
    ).toEqual([])
  })

  test('installs a user, a home of that user and a service, and a node that serves', async () => {
    for (const name of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'etc']) {
      mkdirSync(join(root, name), { recursive: true })
    }
    for (const name of ['var/lib/dpkg/status', 'var/lib/dpkg/available', 'etc/group']) {
      writeFileSync(join(root, name), '')
    }
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
    for (const name of ['etc/shadow', 'etc/gshadow']) writeFileSync(join(root, name), '')
    await dpkg('--install', deb)
    const passwd = readFileSync(join(root, 'etc/passwd'), 'utf8')
    const [, user] = /^lockstep:[^:]*:(\d+):\d+:[^:]*:\/var\/lib\/lockstep:/m.exec(passwd) ?? []
    const home = statSync(join(root, 'var/lib/lockstep'))
    expect([home.uid, home.mode & 0o777]).toEqual([Number(user), 0o700])

    const unit = readFileSync(join(root, 'usr/lib/systemd/system/lockstep.service'), 'utf8')
    const [, program, args = ''] = /^ExecStart=(\S+) (.*)$/m.exec(unit) ?? []
    expect(args).toBe('start --home /var/lib/lockstep')
    const command = join(root, program as string)
    const at = join(root, 'var/lib/lockstep')
    await mustRun(command, ['init', 'first', '--chain-id', '1329', '--home', at])
    const ready = join(folder, 'ready.json')
    const node = startProgram(
      [
        command,
        ...['start', '--home', at, '--ready-file', ready],
        ...['--evm.http-port', '0', '--rpc.laddr', 'tcp://127.0.0.1:0'],
      ],
      { name: 'the installed node', variables: bareEnvironment(folder) },
    )
    const { rpc } = await node.says(() =>
      existsSync(ready) ? (JSON.parse(readFileSync(ready, 'utf8')) as { rpc: string }) : undefined,
    )
    expect(await call(rpc, 'eth_chainId', [])).toBe('0x531')
    // The check that the image of Docker makes
    const dockerfile = readFileSync(join(CHECKOUT, 'tools/docker/Dockerfile'), 'utf8')
    const [, line = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? []
    const [, ...check] = JSON.parse(line) as string[]
    const origin = new URL(rpc).origin
    const script = (check[1] as string).replace('http://127.0.0.1:8545', origin)
    await mustRun(process.execPath, ['-e', script])
    await node.stop('SIGTERM')
    const { code } = await runIn(folder, process.execPath, ['-e', script])
    expect(code).toBe(1)
  }, 600_000)

  test('leaves the home and its owner when it is removed', async () => {
    await dpkg('--remove', 'lockstep')
    expect(existsSync(join(root, 'usr/bin/lockstep'))).toBe(false)
    expect(existsSync(join(root, 'usr/lib/lockstep'))).toBe(false)
    expect(existsSync(join(root, 'var/lib/lockstep/config/genesis.json'))).toBe(true)
    expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toMatch(/^lockstep:/m)
  }, 300_000)
})
