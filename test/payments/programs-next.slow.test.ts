import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runIn } from '../support/package/installed-package.ts'
import { absentPeers } from '../support/payments/peers.ts'
import { programOf } from './programs/program-of.ts'
import { SellingProject } from './programs/selling-project.ts'

const PAGE = fileURLToPath(new URL('../../host/payments/adapter/README.md', import.meta.url))
const PACKAGES = ['next', 'react', 'react-dom']
const why = absentPeers(...PACKAGES)

describe.skipIf(why !== '')(`the Next.js program on the page about adapters${why}`, () => {
  let project: SellingProject
  beforeAll(async () => {
    project = await SellingProject.make(PACKAGES)
  }, 240_000)
  afterAll(() => project?.close())

  test('sells to every client with next start, after it was built', async () => {
    mkdirSync(join(project.folder, 'app', 'weather'), { recursive: true })
    writeFileSync(join(project.folder, 'app', 'weather', 'route.js'), programOf('next', PAGE))
    const config = { serverExternalPackages: ['lockstep'], turbopack: { root: '/' } }
    writeFileSync(
      join(project.folder, 'next.config.mjs'),
      `export default ${JSON.stringify(config)}\n`,
    )
    const next = join(project.folder, 'node_modules/next/dist/bin/next')
    const built = await runIn(project.folder, process.execPath, [next, 'build'], {
      NEXT_TELEMETRY_DISABLED: '1',
    })
    expect(built.code, built.stdout + built.stderr).toBe(0)
    await project.sell([next, 'start', '--hostname', '127.0.0.1'])
  })
})
