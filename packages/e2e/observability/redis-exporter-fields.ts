/**
 * Fields that redis_exporter (github.com/oliver006/redis_exporter, as of August 2026) reads of a server, one by one.
 *
 * Every field of INFO that it knows is either here, or in the table of those that are absent with the reason.
 * The lists are kept in its order.
 */

/** Fields of INFO that it turns into a metric as they are, and that this server has. */
export const PRESENT: readonly string[] = `
  uptime_in_seconds process_id connected_clients blocked_clients maxclients
  tracking_clients pubsub_clients watching_clients total_watched_keys
  total_blocking_keys total_blocking_keys_on_nokey client_recent_max_output_buffer
  client_recent_max_input_buffer allocator_active allocator_allocated
  allocator_frag_ratio allocator_frag_bytes used_memory used_memory_rss
  used_memory_peak used_memory_overhead used_memory_startup used_memory_dataset maxmemory
  mem_fragmentation_ratio mem_fragmentation_bytes mem_not_counted_for_evict mem_clients_normal mem_cluster_links mem_aof_buffer
  expired_stale_perc active_defrag_hits loading async_loading
  rdb_changes_since_last_save rdb_bgsave_in_progress aof_enabled
  rdb_last_save_time rdb_last_bgsave_status rdb_last_bgsave_time_sec
  rdb_current_bgsave_time_sec rdb_saves rdb_last_cow_size rdb_last_load_keys_loaded
  aof_current_size aof_base_size aof_pending_bio_fsync aof_delayed_fsync aof_last_bgrewrite_status
  aof_last_write_status
  aof_rewrite_in_progress pubsub_channels pubsub_patterns pubsubshard_channels
  tracking_total_keys tracking_total_items tracking_total_prefixes connected_slaves
  master_repl_offset total_connections_received total_commands_processed
  acl_access_denied_auth acl_access_denied_cmd acl_access_denied_key acl_access_denied_channel
  rejected_connections total_net_input_bytes total_net_output_bytes
  total_net_repl_input_bytes total_net_repl_output_bytes expired_subkeys
  expired_keys expired_time_cap_reached_count expire_cycle_cpu_milliseconds
  evicted_keys keyspace_hits keyspace_misses used_cpu_sys used_cpu_user
  used_cpu_sys_main_thread used_cpu_user_main_thread total_error_replies
  client_query_buffer_limit_disconnections client_output_buffer_limit_disconnections
  lazyfreed_objects lazyfree_pending_objects number_of_cached_scripts number_of_functions
  used_memory_scripts_eval used_memory_vm_total evicted_scripts used_memory_lua
  used_memory_vm_eval used_memory_vm_functions used_memory_scripts used_memory_functions
  number_of_libraries repl_backlog_size repl_backlog_active repl_backlog_first_byte_offset
  repl_backlog_histlen second_repl_offset slave_expires_tracked_keys sync_full
  sync_partial_ok sync_partial_err aof_last_rewrite_time_sec aof_current_rewrite_time_sec
  aof_last_cow_size io_threads_active io_threaded_reads_processed
  io_threaded_writes_processed mem_clients_slaves mem_replication_backlog
    mem_total_replication_buffers used_cpu_sys_children
  used_cpu_user_children
`
  .trim()
  .split(/\s+/);

/** Fields that it would read and does not find here. */
export const ABSENT: readonly (readonly [reason: string, fields: readonly string[]])[] = (
  [
    [
      'reads and writes of sockets are not counted',
      `
        total_reads_processed total_writes_processed
        reply_buffer_shrinks
        reply_buffer_expands
      `,
    ],
    [
      'it is not measured',
      `
        clients_in_timeout_table current_eviction_exceeded_time total_eviction_exceeded_time
        dump_payload_sanitizations
      `,
    ],
    [
      'a name from before Redis 5',
      `
        client_longest_output_list client_biggest_input_buf
      `,
    ],
    [
      'keys lie in slabs of our own: no allocator, and no table that is rehashed',
      `
        allocator_resident allocator_muzzy allocator_rss_ratio allocator_rss_bytes
        mem_overhead_db_hashtable_rehashing
        active_defrag_running active_defrag_misses active_defrag_key_hits
        active_defrag_key_misses
      `,
    ],
    [
      'another server, or a module that is not here',
      `
        maxmemory_reservation maxmemory_desired_reservation
        maxfragmentationmemory_reservation maxfragmentationmemory_desired_reservation
        tile38_aof_size tile38_avg_point_size tile38_sys_cpus tile38_heap_released_bytes
        tile38_heap_alloc_bytes tile38_http_transport tile38_in_memory_size
        tile38_max_heap_size tile38_alloc_bytes tile38_num_collections tile38_num_hooks
        tile38_num_objects tile38_num_points tile38_pointer_size tile38_read_only
        tile38_go_threads tile38_go_goroutines tile38_last_gc_time_seconds
        tile38_next_gc_bytes server_threads long_lock_waits current_client_thread
        search_number_of_indexes search_used_memory_indexes search_dialect_1
        search_dialect_2 search_dialect_3 search_dialect_4 search_global_idle
        search_global_total search_bytes_collected search_number_of_active_indexes
        search_number_of_active_indexes_running_queries
        search_number_of_active_indexes_indexing search_total_active_write_threads
        search_total_num_docs_in_indexes search_smallest_memory_index
        search_largest_memory_index search_used_memory_vector_index search_global_idle_user
        search_global_idle_internal search_global_total_user search_global_total_internal
        search_gc_bytes_collected search_gc_total_docs_not_collected
        search_gc_marked_deleted_vectors search_errors_indexing_failures
        bf_bloom_total_memory_bytes bf_bloom_num_objects bf_bloom_num_filters_across_objects
        bf_bloom_num_items_across_objects bf_bloom_capacity_across_objects
        json_total_memory_bytes json_num_documents search_used_memory_bytes
        search_number_of_attributes search_total_indexed_documents search_query_queue_size
        search_writer_queue_size search_string_interning_store_size
        search_vector_externing_hash_extern_errors search_vector_externing_num_lru_entries
        cached_keys storage_provider_read_hits storage_provider_read_misses
        search_total_indexing_time search_total_cycles search_total_ms_run
        search_gc_total_cycles search_gc_total_ms_run search_total_queries_processed
        search_total_query_commands search_total_query_execution_time_ms
        search_total_active_queries bf_bloom_defrag_hits bf_bloom_defrag_misses
        search_worker_pool_suspend_cnt search_writer_resumed_cnt search_reader_resumed_cnt
        search_writer_suspension_expired_cnt search_rdb_load_success_cnt
        search_rdb_load_failure_cnt search_rdb_save_success_cnt search_rdb_save_failure_cnt
        search_successful_requests_count search_failure_requests_count
        search_hybrid_requests_count search_inline_filtering_requests_count
        search_hnsw_add_exceptions_count search_hnsw_remove_exceptions_count
        search_hnsw_modify_exceptions_count search_hnsw_search_exceptions_count
        search_hnsw_create_exceptions_count search_vector_externing_entry_count
        search_vector_externing_generated_value_cnt search_vector_externing_lru_promote_cnt
        search_vector_externing_deferred_entry_cnt
      `,
    ],
    [
      'only a replica has a priority',
      `
        slave_priority
      `,
    ],
    [
      'there is no cluster',
      `
        migrate_cached_sockets cluster_stats_messages_sent
        cluster_stats_messages_received
      `,
    ],
    [
      'the log has no buffer of that kind, and it is not told whether a snapshot will follow',
      `
        rdb_last_load_keys_expired aof_rewrite_scheduled
        aof_pending_rewrite
        aof_buffer_length aof_rewrite_buffer_length
      `,
    ],
    [
      'nothing is forked, and there are no child processes',
      `
        module_fork_in_progress module_fork_last_cow_size latest_fork_usec
       
      `,
    ],
    [
      'the event loop is told by svc_event_loop metrics, and busy time by thread',
      `
        instantaneous_eventloop_cycles_per_sec instantaneous_eventloop_duration_usec
        eventloop_cycles eventloop_duration_sum eventloop_duration_cmd_sum
        used_active_time_main_thread
      `,
    ],
  ] as const
).map(([reason, fields]) => [reason, fields.trim().split(/\s+/)]);
