import { readdirSync, readlinkSync } from 'node:fs'

function readOrNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Returns the files below a directory that this process has open. Empty on systems other than Linux. */
export function openFilesBelow(dir: string): string[] {
  const descriptors = readOrNothing(() => readdirSync('/proc/self/fd')) ?? []
  return descriptors
    .map((descriptor) => readOrNothing(() => readlinkSync(`/proc/self/fd/${descriptor}`)) ?? '')
    .filter((file) => file.startsWith(`${dir}/`))
    .sort()
}
