import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHECKOUT, runIn } from '../support/package/installed-package.ts'
import { absentPeers, PEERS_FOLDER } from '../support/payments/peers.ts'
import { programOf } from './programs/program-of.ts'
import { SellingProject } from './programs/selling-project.ts'

const PAGE = fileURLToPath(new URL('../../host/payments/adapter/README.md', import.meta.url))
const PACKAGES = ['express', 'hono', '@hono/node-server', 'next', 'react', 'react-dom']
const why = absentPeers(...PACKAGES, '@types/express')

describe.skipIf(why !== '')(`the programs on the page about adapters${why}`, () => {
  let project: SellingProject
  beforeAll(async () => {
    project = await SellingProject.make(PACKAGES)
  }, 240_000)
  afterAll(() => project?.close())

  test('compile with the types of the frameworks', async () => {
    symlinkSync(join(PEERS_FOLDER, '@types'), join(project.folder, 'node_modules/@types'))
    const program = readFileSync(new URL('typed-servers.ts.txt', import.meta.url), 'utf8')
    writeFileSync(join(project.folder, 'servers.ts'), program)
    const compilerOptions = {
      ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
      ...{ target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'] },
      ...{ module: 'esnext', moduleResolution: 'bundler' },
    }
    const config = JSON.stringify({ compilerOptions, files: ['servers.ts'] })
    writeFileSync(join(project.folder, 'tsconfig.json'), config)
    const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
    expect(await runIn(project.folder, process.execPath, [compiler, '-p', '.'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    // Otherwise Next.js would compile it too
    rmSync(join(project.folder, 'tsconfig.json'))
    rmSync(join(project.folder, 'servers.ts'))
  })

  test.each(['express', 'hono'])('sell to every client with %s', async (name) => {
    const file = join(project.folder, `${name}.js`)
    writeFileSync(file, programOf(name, PAGE))
    await project.sell([file])
  })
})
