import { float, integer, of, shown, type InputSpec, type NodeClass } from '../nodeClass';
import type { Value } from '../values';

const LARGEST = 2n ** 63n - 1n;

/** Values that other nodes' inputs are linked to. */
export const primitives: Record<string, NodeClass> = {
	PrimitiveString: primitive('STRING', 'Text', shown(of('STRING'), { multiline: false })),
	PrimitiveStringMultiline: primitive('STRING', 'Text (Multiline)', shown(of('STRING'), { multiline: true })),
	PrimitiveInt: primitive('INT', 'Int', shown(integer(-LARGEST, LARGEST), { control_after_generate: 'fixed' })),
	PrimitiveFloat: primitive('FLOAT', 'Float', shown(float(-LARGEST, LARGEST), { step: 0.1 })),
	PrimitiveBoolean: primitive('BOOLEAN', 'Boolean', shown(of('BOOLEAN'), {})),
};

function primitive(type: Value['type'], displayName: string, value: InputSpec): NodeClass {
	return {
		required: { value },
		outputs: [type],
		shown: { displayName, category: 'utilities/primitive', module: 'comfy_extras.nodes_primitive' },
		execute: (inputs) => [inputs.any('value')],
	};
}
