/**
 * Writes the bundle that a checkout starts into a folder, for its final location, and lists the sources it is made of
 * in `sources.json`.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeBundle } from './write-bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const [folder, place = folder] = process.argv.slice(2)
if (folder === undefined || place === undefined) throw new Error('name the folder to write')

const modules = await writeBundle({
  root: ROOT,
  folder: resolve(folder),
  place: resolve(place),
  minify: false,
})
const own = modules
  .map((module) => relative(ROOT, module).split(sep).join('/'))
  .filter((path) => path.startsWith('host/'))
const builder = readdirSync(join(ROOT, 'tools/bundle')).map((name) => `tools/bundle/${name}`)
writeFileSync(join(resolve(folder), 'sources.json'), JSON.stringify([...own, ...builder]))
