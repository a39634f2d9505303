export { classesIn, convertWorkflow } from './convert';
export { drawPrompt } from './widgets';
export type { Conversion, ConversionNote } from './types';
export { followChoices } from './choices';
