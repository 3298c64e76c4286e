import { RespClient } from '../clients/resp-client.ts';

/** Returns whether a server on this machine replies to PING at a port now. */
export async function answersPing(port: number): Promise<boolean> {
  try {
    const client = await RespClient.connect({ port });
    const reply = await client.reply('PING');
    await client.end();
    return reply === 'PONG';
  } catch {
    return false;
  }
}
