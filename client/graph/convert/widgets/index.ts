export { widgetsFor } from './kinds';
export { allowedTypes, MATCHING } from './layout';
export { drawPrompt } from './prompts';
export { type InputSpec, specsIn, specsOfClass } from './specs';
export { widgetsOf, type NodeWidgets } from './widgetsOf';
