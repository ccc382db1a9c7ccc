import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

const REFERENCES = new URL('../screenshots/', import.meta.url)
const FRESH = fileURLToPath(new URL('../../../build/test/screenshots/', import.meta.url))

/**
 * Scale of the comparison: each point is the mean of 6 by 6 pixels. Letters become grey, so another font or font
 * smoothing of the same size hardly shows. A moved box, a changed colour or a missing part does.
 */
const SCALE = 6

/** Allowed difference of a point from its reference, 0 to 1, and the share of points that may exceed it. */
const THRESHOLD = 0.06
const MAY_DIFFER = 0.01

/** Returns the picture at a sixth of its width and height. */
function shrink(png: PNG): PNG {
  const width = Math.floor(png.width / SCALE)
  const height = Math.floor(png.height / SCALE)
  const small = new PNG({ width, height })
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0
        for (let row = 0; row < SCALE; row++) {
          for (let column = 0; column < SCALE; column++) {
            const at = 4 * ((SCALE * y + row) * png.width + SCALE * x + column)
            sum += png.data[at + channel] as number
          }
        }
        small.data[4 * (y * width + x) + channel] = Math.round(sum / SCALE ** 2)
      }
    }
  }
  return small
}

/** Writes a screenshot as the new reference. */
export function takeReference(name: string, bytes: Uint8Array): void {
  const small = shrink(PNG.sync.read(Buffer.from(bytes)))
  mkdirSync(REFERENCES, { recursive: true })
  writeFileSync(
    new URL(`${name}.png`, REFERENCES),
    PNG.sync.write(small, { deflateLevel: 9, colorType: 2 }),
  )
}

/**
 * Describes how a screenshot differs from its reference, or returns undefined if it does not. Writes the screenshot
 * and a copy with the differences marked to build/test/screenshots.
 */
export function differenceFromReference(name: string, bytes: Uint8Array): string | undefined {
  const small = shrink(PNG.sync.read(Buffer.from(bytes)))
  const reference = fileURLToPath(new URL(`${name}.png`, REFERENCES))
  const fresh = `${FRESH}${name}.png`
  mkdirSync(dirname(fresh), { recursive: true })
  writeFileSync(fresh, bytes)
  if (!existsSync(reference)) return `${name}: no reference; look at ${fresh} and renew`
  const known = PNG.sync.read(readFileSync(reference))
  if (known.width !== small.width || known.height !== small.height) {
    return `${name}: ${small.width} x ${small.height} points, the reference has ${known.width} x ${known.height}`
  }
  const { width, height } = known
  const marked = new PNG({ width, height })
  const options = { threshold: THRESHOLD, includeAA: true }
  const count = pixelmatch(known.data, small.data, marked.data, width, height, options)
  const part = count / (width * height)
  if (part <= MAY_DIFFER) return undefined
  writeFileSync(`${FRESH}${name}.difference.png`, PNG.sync.write(marked))
  return `${name}: ${(100 * part).toFixed(1)} % of its points differ; look at ${fresh} beside ${reference}`
}
