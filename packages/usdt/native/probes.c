/*
 * The static probes of provider svc, each with a semaphore that JavaScript reads in place.
 *
 * What watches a probe raises its semaphore, a 16-bit counter in this library's memory. JavaScript sees the
 * counters as typed arrays over that memory, so that a probe nobody watches is a load and a branch there and no
 * call. The order of the probes is that of packages/usdt/table.ts.
 */

#define _SDT_HAS_SEMAPHORES 1
#define NAPI_VERSION 8

#include <node_api.h>
#include <stdint.h>
#include <sys/sdt.h>

/* Texts are handed to probes as C strings, cut to this many bytes with the zero at the end. */
#define TEXT_BYTES_MAX 256
#define ARGUMENTS_MAX 3

#define SEMAPHORE(name) \
  __extension__ unsigned short svc_##name##_semaphore __attribute__((unused, section(".probes")))

SEMAPHORE(command__start);
SEMAPHORE(command__done);
SEMAPHORE(shard__message__sent);
SEMAPHORE(shard__message__received);
SEMAPHORE(key__expired);
SEMAPHORE(key__evicted);
SEMAPHORE(memory__pressure);
SEMAPHORE(wal__write);
SEMAPHORE(scatter__start);
SEMAPHORE(scatter__done);
SEMAPHORE(pubsub__publish);
SEMAPHORE(connection__accept);
SEMAPHORE(warm__spill);
SEMAPHORE(warm__fetch);

static unsigned short *const semaphores[] = {
    &svc_command__start_semaphore,       &svc_command__done_semaphore,
    &svc_shard__message__sent_semaphore, &svc_shard__message__received_semaphore,
    &svc_key__expired_semaphore,         &svc_key__evicted_semaphore,
    &svc_memory__pressure_semaphore,     &svc_wal__write_semaphore,
    &svc_scatter__start_semaphore,       &svc_scatter__done_semaphore,
    &svc_pubsub__publish_semaphore,      &svc_connection__accept_semaphore,
    &svc_warm__spill_semaphore,          &svc_warm__fetch_semaphore,
};

#define PROBE_COUNT (sizeof(semaphores) / sizeof(semaphores[0]))

typedef struct {
  char text[TEXT_BYTES_MAX];
  int64_t number;
} argument;

/* A text is copied, so that its page is there when a tracer reads it; anything else is taken for a number. */
static void read_argument(napi_env env, napi_value value, argument *into) {
  napi_valuetype type;
  into->text[0] = '\0';
  into->number = 0;
  if (napi_typeof(env, value, &type) != napi_ok) return;
  if (type == napi_string) {
    size_t copied;
    napi_get_value_string_latin1(env, value, into->text, TEXT_BYTES_MAX, &copied);
  } else {
    napi_get_value_int64(env, value, &into->number);
  }
}

/* fire(probe, first, second, third) */
static napi_value fire(napi_env env, napi_callback_info info) {
  napi_value values[1 + ARGUMENTS_MAX];
  size_t count = 1 + ARGUMENTS_MAX;
  uint32_t probe;
  argument a[ARGUMENTS_MAX];
  if (napi_get_cb_info(env, info, &count, values, NULL, NULL) != napi_ok || count < 1) return NULL;
  if (napi_get_value_uint32(env, values[0], &probe) != napi_ok) return NULL;
  for (size_t nth = 0; nth < ARGUMENTS_MAX; nth += 1) read_argument(env, values[nth + 1], &a[nth]);
  switch (probe) {
    case 0:
      STAP_PROBE3(svc, command__start, a[0].text, a[1].text, a[2].number);
      break;
    case 1:
      STAP_PROBE3(svc, command__done, a[0].text, a[1].number, a[2].number);
      break;
    case 2:
      STAP_PROBE3(svc, shard__message__sent, a[0].number, a[1].number, a[2].text);
      break;
    case 3:
      STAP_PROBE3(svc, shard__message__received, a[0].number, a[1].text, a[2].number);
      break;
    case 4:
      STAP_PROBE2(svc, key__expired, a[0].text, a[1].number);
      break;
    case 5:
      STAP_PROBE3(svc, key__evicted, a[0].text, a[1].number, a[2].text);
      break;
    case 6:
      STAP_PROBE3(svc, memory__pressure, a[0].number, a[1].number, a[2].text);
      break;
    case 7:
      STAP_PROBE3(svc, wal__write, a[0].number, a[1].text, a[2].number);
      break;
    case 8:
      STAP_PROBE3(svc, scatter__start, a[0].text, a[1].number, a[2].number);
      break;
    case 9:
      STAP_PROBE3(svc, scatter__done, a[0].text, a[1].number, a[2].number);
      break;
    case 10:
      STAP_PROBE2(svc, pubsub__publish, a[0].text, a[1].number);
      break;
    case 11:
      STAP_PROBE2(svc, connection__accept, a[0].number, a[1].text);
      break;
    case 12:
      STAP_PROBE3(svc, warm__spill, a[0].number, a[1].number, a[2].number);
      break;
    case 13:
      STAP_PROBE3(svc, warm__fetch, a[0].number, a[1].number, a[2].number);
      break;
    default:
      break;
  }
  return NULL;
}

/* Every thread that loads the library gets { fire, semaphores }, with views of the same counters. */
NAPI_MODULE_INIT() {
  napi_value function, list;
  if (napi_create_function(env, "fire", NAPI_AUTO_LENGTH, fire, NULL, &function) != napi_ok ||
      napi_set_named_property(env, exports, "fire", function) != napi_ok ||
      napi_create_array_with_length(env, PROBE_COUNT, &list) != napi_ok) {
    return NULL;
  }
  for (uint32_t probe = 0; probe < PROBE_COUNT; probe += 1) {
    napi_value buffer, view;
    if (napi_create_external_arraybuffer(env, semaphores[probe], sizeof(unsigned short), NULL, NULL,
                                         &buffer) != napi_ok ||
        napi_create_typedarray(env, napi_uint16_array, 1, buffer, 0, &view) != napi_ok ||
        napi_set_element(env, list, probe, view) != napi_ok) {
      return NULL;
    }
  }
  if (napi_set_named_property(env, exports, "semaphores", list) != napi_ok) return NULL;
  return exports;
}
