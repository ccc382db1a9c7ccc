import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OTHER_VARIABLES } from '../../../host/base/config/environment.ts'
import { loadConfig } from '../../../host/base/config/load.ts'
import { CONFIG_ENTRIES } from '../../../host/base/config/schema.ts'
import { COMMANDS } from '../../../host/cli/commands.ts'
import { readManifest } from '../../../tools/package/manifest.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const dockerfile = readFileSync(join(ROOT, 'tools/docker/Dockerfile'), 'utf8')
const compose = readFileSync(join(ROOT, 'tools/docker/compose.yaml'), 'utf8')

/** The instructions of the Dockerfile. It continues none on another line. */
const instructions = dockerfile
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [, name = '', value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return { name, value }
  })
const valuesOf = (wanted: string) =>
  instructions.filter(({ name }) => name === wanted).map(({ value }) => value)
const variables = new Map(valuesOf('ENV').map((value) => value.split('=', 2) as [string, string]))

test('the Dockerfile has only known instructions, each on one line', () => {
  const known =
    'FROM WORKDIR COPY RUN USER VOLUME ENV EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ')
  for (const { name, value } of instructions) {
    expect(known, value).toContain(name)
    expect(value).not.toMatch(/\\$/)
  }
})

test('both stages have a release of Node that the package accepts', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  expect(engines.node).toBe('>=22.15')
  for (const image of valuesOf('FROM'))
    expect(image).toMatch(/^node:22-bookworm(-slim)?( AS build)?$/)
})

test('the image packs the checkout and installs that tarball', () => {
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { name: string }
  const [build, install] = valuesOf('RUN')
  expect(build).toBe('npm ci && npm pack --pack-destination /tmp')
  expect(valuesOf('COPY')).toEqual(['. .', `--from=build /tmp/${name}-*.tgz /tmp/`])
  expect(install).toContain(`npm install --global --omit=dev /tmp/${name}-*.tgz `)
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n')
  // What the build needs is not left out
  for (const path of ['assembly', 'host', 'tools', 'package-lock.json', 'LICENSE']) {
    expect(existsSync(join(ROOT, path)) && !ignored.includes(path), path).toBe(true)
  }
})

test('it runs a command of the package, as a user, with its home in the volume', () => {
  expect(Object.keys(readManifest(ROOT).bin)).toContain(
    (JSON.parse(valuesOf('ENTRYPOINT')[0] as string) as string[])[0],
  )
  const [command] = JSON.parse(valuesOf('CMD')[0] as string) as string[]
  expect(COMMANDS.map(({ name }) => name)).toContain(command)
  expect(valuesOf('USER')).toEqual(['lockstep'])
  const [home] = valuesOf('VOLUME')
  expect(variables.get('LOCKSTEP_HOME')).toBe(home)
  expect(valuesOf('RUN')[2]).toContain(`--home-dir ${home} lockstep`)
  expect(compose).toContain(`- home:${home}\n`)
})

test('its variables are valid settings, and its ports are those of the node', () => {
  const known = [...CONFIG_ENTRIES.map(({ variable }) => variable), ...Object.keys(OTHER_VARIABLES)]
  for (const name of variables.keys()) expect(known).toContain(name)
  const environment = Object.fromEntries(variables)
  const { config } = loadConfig({ directory: '/nowhere', environment, flags: new Map() })
  expect(config.evm.httpAddress).toBe('0.0.0.0')
  expect(config.rpc.laddr).toEqual({ host: '0.0.0.0', port: 26_657 })
  const ports = [config.evm.httpPort, config.evm.wsPort, config.rpc.laddr.port]
  expect(valuesOf('EXPOSE')).toEqual([ports.join(' ')])
  for (const port of ports) expect(compose).toContain(`- 127.0.0.1:${port}:${port}\n`)
  expect(compose.match(/^ {6}- [\d.:]+$/gm)).toHaveLength(ports.length)
})

test('compose builds this Dockerfile from the checkout', () => {
  expect(compose).toContain('      context: ../..\n      dockerfile: tools/docker/Dockerfile\n')
  expect(compose).toContain('run --rm node init mynode --chain-id 1329\n')
})
