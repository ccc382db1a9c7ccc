const SMALLEST = 1024

/** Memory of a frame, updated by the writes in a trace. */
class FrameMemory {
  #bytes = new Uint8Array(SMALLEST)
  /** Bytes that may be non-zero. */
  #used = 0

  clear(): void {
    this.#bytes.fill(0, 0, this.#used)
    this.#used = 0
  }

  write(offset: number, bytes: Uint8Array): void {
    const end = offset + bytes.length
    this.#hold(end)
    this.#bytes.set(bytes, offset)
    this.#used = Math.max(this.#used, end)
  }

  read(size: number): Uint8Array {
    this.#hold(size)
    return this.#bytes.subarray(0, size)
  }

  #hold(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = larger
  }
}

/** Memories of a transaction's open frames. Depths are those of steps, starting at 1. */
export class FrameMemories {
  readonly #frames: FrameMemory[] = []

  /** Starts a frame at `depth` with empty memory. */
  enter(depth: number): void {
    const frame = this.#frames[depth]
    if (frame === undefined) this.#frames[depth] = new FrameMemory()
    else frame.clear()
  }

  write(depth: number, offset: number, bytes: Uint8Array): void {
    this.#frames[depth]?.write(offset, bytes)
  }

  /** Returns the first `size` bytes of memory of the frame at `depth`; valid until the next write. */
  read(depth: number, size: number): Uint8Array {
    return this.#frames[depth]?.read(size) ?? new Uint8Array(size)
  }
}
