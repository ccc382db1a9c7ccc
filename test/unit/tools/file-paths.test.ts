import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

function files(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path))
}

test('no program finds its files by a path in which a space is %20', () => {
  const paths = ['host', 'test', 'bench', 'tools'].flatMap((folder) => files(folder, /\.(ts|mjs)$/))
  const bad = paths.filter((path) => /import\.meta\.url\)\.pathname/.test(read(path)))
  expect(bad).toEqual([])
})
