import type { Logger } from '../../base/log/logger.ts'

/** Progress of rebuilding stores. */
export interface RebuildStep {
  readonly from: number
  readonly height: number
  /** Undefined if unknown. */
  readonly to: number | undefined
}

const PROGRESS_MS = 5000

/** Logs the first step, the last one, and one every few seconds in between. */
export function rebuildLog(logger: Logger, message: string): (step: RebuildStep) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return ({ from, height, to }) => {
    if (height !== to && performance.now() - saidAt < PROGRESS_MS) return
    saidAt = performance.now()
    logger.info(message, { fromHeight: from, height, ...(to !== undefined && { toHeight: to }) })
  }
}
