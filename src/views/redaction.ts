import { redaction as ofHome } from '../store/redaction.ts'

/** Masks secrets in what people and programs see of an agent's files. */
export const redaction = ofHome
