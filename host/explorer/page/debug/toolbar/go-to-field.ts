/** Id of the field that takes the number of a step. */
export const GO_TO_FIELD = 'go-to-step'
