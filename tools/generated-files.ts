import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Writes the files that a generator makes, by their names in `folder`. Run with --check it writes nothing,
 * names those that are not what it would write, and exits with 1.
 */
export function writeGenerated(
  generator: string,
  folder: URL,
  files: Readonly<Record<string, () => string>>,
): void {
  if (!isCheck()) mkdirSync(folder, { recursive: true })
  for (const [name, generate] of Object.entries(files)) {
    writeOrCompare(generator, new URL(name, folder), generate())
  }
}

/**
 * Writes the parts of a file that a generator makes, by their names: the lines between `// <generated: NAME>` and
 * `// </generated>`, as writeGenerated writes whole files.
 * @throws {Error} when the file does not have each part once
 */
export function writeRegions(
  generator: string,
  file: URL,
  regions: Readonly<Record<string, () => string>>,
): void {
  let text = readFileSync(file, 'utf8')
  for (const [name, generate] of Object.entries(regions)) {
    const [before, rest, ...more] = text.split(`// <generated: ${name}>\n`)
    const end = rest?.search(/^ *\/\/ <\/generated>$/m) ?? -1
    if (rest === undefined || more.length > 0 || end === -1) {
      throw new Error(`${file.pathname} does not have the generated part "${name}" once`)
    }
    text = `${before}// <generated: ${name}>\n${generate()}${rest.slice(end)}`
  }
  writeOrCompare(generator, file, text)
}

function isCheck(): boolean {
  return process.argv.includes('--check')
}

function writeOrCompare(generator: string, file: URL, text: string): void {
  if (!isCheck()) writeFileSync(file, text)
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    process.stderr.write(
      `${basename(file.pathname)} differs from what ${generator} writes; run it\n`,
    )
    process.exitCode = 1
  }
}
