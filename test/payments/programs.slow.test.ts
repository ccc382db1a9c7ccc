import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { freePort } from '../support/http-server.ts'
import { fencedBlocks } from '../support/markdown-blocks.ts'
import { type Daemon, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import {
  CHECKOUT,
  installPackage,
  linkDependency,
  runIn,
} from '../support/package/installed-package.ts'
import {
  OUR_CLIENTS,
  PUBLISHED_CLIENTS,
  payerAccount,
  titleOf,
} from '../support/payments/paying-clients.ts'
import { absentPeers, PEERS_FOLDER } from '../support/payments/peers.ts'
import { startProgram } from '../support/program.ts'
import { fundedKey } from './shop/funded-key.ts'

const CHAIN_ID = 1329
const CLIENTS = [...PUBLISHED_CLIENTS, ...OUR_CLIENTS]
const PAGE = fileURLToPath(new URL('../../host/payments/adapter/README.md', import.meta.url))
const ENTRY_PAGE = fileURLToPath(new URL('../../host/entry/README.md', import.meta.url))
const PACKAGES = ['express', 'hono', '@hono/node-server', 'next', 'react', 'react-dom']
const why = absentPeers(...PACKAGES, '@types/express')

/** A program of a page: of the adapters', or another. */
function programOf(module: string, page = PAGE): string {
  const blocks = fencedBlocks(readFileSync(page, 'utf8'))
  const found = blocks.find(({ text }) => text.includes(`from 'lockstep/payments/${module}'`))
  if (found === undefined) throw new Error(`no program of ${module}`)
  return found.text
}

describe.skipIf(why !== '')(`the programs on the page of the adapters${why}`, () => {
  let folder: string
  let project: string
  let daemon: Daemon
  let variables: Record<string, string>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'programs-'))
    const home = join(folder, 'home')
    mkdirSync(home)
    daemon = await startDaemon({
      home,
      arguments: [
        ...['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
        ...['--chain-id', `${CHAIN_ID}`, '--consensus.block-time', '50ms'],
      ],
    })
    const { rpc } = daemon.ready
    variables = {
      RPC_URL: rpc,
      TOKEN: daemon.ready.paymentToken as Hex,
      PAY_TO: devAccount(9).address,
      SETTLER_KEY: await fundedKey(rpc, CHAIN_ID, 7),
      NEXT_TELEMETRY_DISABLED: '1',
    }
    const installed = await installPackage(folder)
    project = installed.folder
    for (const name of PACKAGES) {
      const link = join(project, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(PEERS_FOLDER, name), link)
    }
  }, 240_000)

  afterAll(async () => {
    expect(await daemon.stop()).toBe(0)
    rmSync(folder, { recursive: true })
  })

  /** Runs a server, has each client pay at it, and ends it. */
  async function sell(args: readonly string[], cwd: string): Promise<void> {
    const port = await freePort()
    const program = startProgram([process.execPath, ...args], {
      cwd,
      variables: { ...variables, PORT: `${port}` },
    })
    const { output } = program
    const url = `http://127.0.0.1:${port}/weather`
    try {
      const status = await program.says(() =>
        fetch(url).then(
          (response) => response.status,
          () => undefined,
        ),
      )
      expect(status, output()).toBe(402)
      const { rpc, paymentToken } = daemon.ready
      const chain = { rpc, chainId: CHAIN_ID, asset: paymentToken as Hex }
      for (const [index, row] of CLIENTS.entries()) {
        if (absentPeers(...row.packages) !== '') continue
        const { status, body } = await row.get(url, chain, payerAccount(index % 7))
        expect([status, body], `${titleOf(row)}\n${output()}`).toMatchObject([
          200,
          { temperature: 21, payment: { isValid: true } },
        ])
      }
    } finally {
      await program.stop()
    }
  }

  test('have the types of the frameworks', async () => {
    symlinkSync(join(PEERS_FOLDER, '@types'), join(project, 'node_modules/@types'))
    const program = readFileSync(new URL('typed-servers.ts.txt', import.meta.url), 'utf8')
    writeFileSync(join(project, 'servers.ts'), program)
    const compilerOptions = {
      ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
      ...{ target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'] },
      ...{ module: 'esnext', moduleResolution: 'bundler' },
    }
    const config = JSON.stringify({ compilerOptions, files: ['servers.ts'] })
    writeFileSync(join(project, 'tsconfig.json'), config)
    const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
    expect(await runIn(project, process.execPath, [compiler, '-p', '.'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    // Next.js would compile it too
    rmSync(join(project, 'tsconfig.json'))
    rmSync(join(project, 'servers.ts'))
  })

  test.each(['express', 'hono'])('sell to every client with %s', async (name) => {
    const file = join(project, `${name}.js`)
    writeFileSync(file, programOf(name))
    await sell([file], project)
  })

  test('sell to every client with next, once it is built', async () => {
    mkdirSync(join(project, 'app', 'weather'), { recursive: true })
    writeFileSync(join(project, 'app', 'weather', 'route.js'), programOf('next'))
    const config = { serverExternalPackages: ['lockstep'], turbopack: { root: '/' } }
    writeFileSync(join(project, 'next.config.mjs'), `export default ${JSON.stringify(config)}\n`)
    const next = join(project, 'node_modules/next/dist/bin/next')
    const built = await runIn(project, process.execPath, [next, 'build'], {
      NEXT_TELEMETRY_DISABLED: '1',
    })
    expect(built.code, built.stdout + built.stderr).toBe(0)
    await sell([next, 'start', '--hostname', '127.0.0.1'], project)
  })
})

test("the program of the package's page pays at the gate of --dev", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = join(folder, 'home')
  mkdirSync(home)
  const daemon = await startDaemon({
    home,
    arguments: ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
  })
  onTestFinished(async () => expect(await daemon.stop()).toBe(0))
  const { folder: project } = await installPackage(folder)
  linkDependency(project, 'viem')
  const { rpc, payments } = daemon.ready
  // Its ports are those of a node that has the machine for itself
  const changes = { 'http()': `http('${rpc}')`, 'http://127.0.0.1:8402': payments as string }
  let program = programOf('fetch', ENTRY_PAGE)
  for (const [from, to] of Object.entries(changes)) {
    expect(program.split(from), from).toHaveLength(2)
    program = program.replace(from, to)
  }
  writeFileSync(join(project, 'pay.js'), program)
  const { code, stdout, stderr } = await runIn(project, process.execPath, ['pay.js'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^paid 1000\n/)
  expect(stdout).toContain('isValid: true')
})
