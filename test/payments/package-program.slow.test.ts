import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startDaemon } from '../support/node/daemon.ts'
import { installPackage, linkDependency, runIn } from '../support/package/installed-package.ts'
import { programOf } from './programs/program-of.ts'

const PAGE = fileURLToPath(new URL('../../host/payments/client/README.md', import.meta.url))

test("the program in the package's README pays at the gate of a --dev node", async () => {
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
  // The program has the default ports
  const changes = { 'http()': `http('${rpc}')`, 'http://127.0.0.1:8402': payments as string }
  let program = programOf('fetch', PAGE)
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
