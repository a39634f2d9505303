export { widgetsFor } from './kinds';
export { drawPrompt } from './prompts';
export { type InputSpec, specsOfClass } from './specs';
export { widgetsOf, type NodeWidgets } from './widgetsOf';
